// The AI SDK asks by the Responses API, by chat completions, and as any compatible provider.
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";

const [service, prompt] = process.argv.slice(2);
const baseURL = `${service}/v1`;
const openai = createOpenAI({ baseURL, apiKey: "unused" });
const compatible = createOpenAICompatible({ baseURL, name: "sourcebook" });

const show = async (model, citation) => {
  const whole = await generateText({ model, prompt });
  const stream = streamText({ model, prompt });
  const streamed = await stream.text;
  const cited = [citation(whole.text, whole.sources), citation(streamed, await stream.sources)];
  console.log(JSON.stringify({ answer: whole.text, streamed, cited }));
};

const source = (_, sources) => sources.find((one) => one.sourceType === "url").url;
await show(openai.responses("sourcebook"), source);
await show(openai.chat("sourcebook"), source);
// This provider reads no annotations: the text ends with the sources.
await show(compatible("sourcebook"), (text) => text);
