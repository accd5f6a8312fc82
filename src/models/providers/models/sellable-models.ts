/**
 * Names that may be sold. They have no spaces, controls or marks of direction, because such names look like others. An
 * inner slash is allowed, as OpenRouter has them.
 */
export const isSellableName = (id: string): boolean => /^[A-Za-z0-9](?:[\w.:/@-]{0,98}\w)?$/.test(id);

export const NOT_TEXT = 'it is no model for conversations';

/** Models of many vendors that write no text, by the words of their names. */
const OTHER_WORK =
  /(^|[-/.])(embed\w*|embedding|tts|transcribe|whisper|image|images|imagine|imagen|veo|sora|dall-e|audio|realtime|live|moderation|ocr|rerank|guard|video|voice|music|lyria|aqa)([-/.:]|$)/i;

export const isOtherWork = (id: string): boolean => OTHER_WORK.test(id);

const PICTURES = /(^|[-/.])(images?|imagine|imagen|veo|sora|dall-e|video)([-/.:]|$)/i;
const SOUND = /(^|[-/.])(tts|transcribe|whisper|audio|voice|music|lyria)([-/.:]|$)/i;

/** The kind of work of a model that is not for sale, by the words of its name. */
export const kindOfName = (id: string): 'text' | 'media' | 'audio' =>
  PICTURES.test(id) ? 'media' : SOUND.test(id) ? 'audio' : 'text';

/** Models that search the web in each call, by the words of their names. */
const SEARCHES = /(^|[-/.])(search|sonar|deep-research|online)([-/.:]|$)/i;

export const isSearching = (id: string): boolean => SEARCHES.test(id);

export const SEARCH_FEE = 'its vendor also charges for each of its searches, which no count shows';

export const ODD_NAME = 'its name has spaces, or other characters that are not sold';
