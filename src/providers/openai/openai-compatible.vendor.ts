import { listSetting, neededUrlSetting } from '../../platform/config/setting';
import type { VendorKind } from '../vendor';
import { serverSettings } from './openai-server';
import { openai } from './openai.vendor';

const LIST = 'OPENAI_COMPATIBLE_SERVERS';

const isName = (word: string): word is string => /^[a-z][a-z0-9-]{0,29}$/.test(word);

/** The prefix of a server's settings: `my-vllm` has `MY_VLLM_BASE_URL`. */
const prefixOf = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/** OpenRouter, Groq, Together, or the operator's own vLLM or Ollama: any number of such servers at once. */
export const openaiCompatible: VendorKind = {
  name: 'openai-compatible',
  listedIn: listSetting(
    LIST,
    isName,
    'different names in lower case with commas between them, such as groq,my-vllm',
    'OpenAI-compatible servers, separated by commas. Each has a name of your choice, which routes of',
    'the catalog then use. groq,my-vllm adds GROQ_BASE_URL (required), GROQ_API_KEY, GROQ_QUIRKS, MY_VLLM_BASE_URL, ….',
  ),
  serves: openai.serves,
  parts: openai.parts,
  one: (name) => ({
    ...openai,
    name,
    settings: serverSettings(prefixOf(name), neededUrlSetting(`${prefixOf(name)}_BASE_URL`)),
    enabledBy: LIST,
  }),
};
