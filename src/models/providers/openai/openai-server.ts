import { type Setting, listSetting, secretSetting } from '#platform/config/setting';
import { SPEECH_FORMATS } from '../audio-provider';
import type { MediaMode } from '../media-mode';
import type { AccessOf, Serves } from '../vendor';
import { makesSize, takesOptionalInputs } from './openai-media.wire';

/** The differences between a server and OpenAI. */
const QUIRKS = ['max_completion_tokens', 'no_stream_options', 'usage_cost', 'responses'] as const;
export type Quirk = (typeof QUIRKS)[number];

const isQuirk = (word: string): word is Quirk => (QUIRKS as readonly string[]).includes(word);

const MODES: readonly MediaMode[] = ['t2i', 'i2i', 'swap', 't2v', 'i2v'];

/** The kinds of work that an OpenAI-compatible server can do. A server may do fewer, as the operator's catalog says. */
export const SERVES: Serves = {
  text: true,
  modes: MODES,
  makes: makesSize,
  takes: takesOptionalInputs,
  speaks: SPEECH_FORMATS,
  transcribes: true,
};

/** The settings of one server. Their names share a prefix. */
export const serverSettings = <Url extends Setting<string>>(
  prefix: string,
  baseUrl: Url,
  ...quirks: string[]
) => ({
  baseUrl,
  key: secretSetting(`${prefix}_API_KEY`),
  quirks: listSetting(`${prefix}_QUIRKS`, isQuirk, `some of ${QUIRKS.join(', ')}`, ...quirks),
});

export type ServerAccess = AccessOf<ReturnType<typeof serverSettings<Setting<string>>>>;

/** A server of the operator may need no key. */
export const authorizationOf = ({ key }: Pick<ServerAccess, 'key'>): Readonly<Record<string, string>> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` };
