// In a file of its own, so that the content security policy can forbid inline scripts.
SwaggerUIBundle({
  url: new URL("openapi.json", location.href).pathname,
  dom_id: "#docs",
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
