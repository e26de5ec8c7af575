// A Docusaurus plug-in that puts Sourcebook's widget on every page.

/**
 * @param {unknown} _context
 * @param {{url: string, title?: string, placeholder?: string, book?: string, accent?: string, theme?: "light" | "dark", position?: "left" | "right", page?: "on" | "off", selection?: "on" | "off"}} options
 */
module.exports = function sourcebookWidget(_context, options) {
  if (!options?.url) {
    throw new Error("Give the address of your Sourcebook service as `url`, such as https://ask.example.org");
  }
  const { url, ...looks } = options;
  const data = Object.entries(looks)
    .filter(([name, value]) => name !== "id" && value !== undefined)
    .map(([name, value]) => [`data-${name}`, String(value)]);
  return {
    name: "sourcebook-widget",
    injectHtmlTags: () => ({
      postBodyTags: [
        {
          tagName: "script",
          attributes: { type: "module", src: `${url.replace(/\/+$/, "")}/widget.js`, ...Object.fromEntries(data) },
        },
      ],
    }),
  };
};
