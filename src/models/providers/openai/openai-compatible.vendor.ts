import { listSetting, neededUrlSetting } from '#platform/config/setting';
import type { VendorKind } from '../vendor';
import { modelsAt, serverModel } from './openai-models';
import { type ServerAccess, authorizationOf, serverSettings } from './openai-server';
import { openai } from './openai.vendor';
import { judge } from './openai.wire';

const LIST = 'OPENAI_COMPATIBLE_SERVERS';

const isName = (word: string): word is string => /^[a-z][a-z0-9-]{0,29}$/.test(word);

/** The prefix of a server's settings: `my-vllm` has `MY_VLLM_BASE_URL`. */
const prefixOf = (name: string): string => name.toUpperCase().replaceAll('-', '_');

const listOf = (name: string, access: ServerAccess) => ({
  name,
  baseUrl: access.baseUrl,
  headers: () => authorizationOf(access),
  judge,
});

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
  one: (name) => {
    const { book: _, ...shared } = openai;
    return {
      ...shared,
      name,
      settings: serverSettings(prefixOf(name), neededUrlSetting(`${prefixOf(name)}_BASE_URL`)),
      enabledBy: LIST,
      models: (own) => modelsAt(listOf(own.name, own.access as unknown as ServerAccess), serverModel),
    };
  },
};
