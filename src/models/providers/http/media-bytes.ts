import type { MediaInput, MediaRequest } from '../media-provider';

/** Reads a source medium into memory. The service limited its size when it received the medium. */
export const bytesOf = async (input: MediaInput): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of await input.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const dataUriOf = async (input: MediaInput): Promise<string> =>
  `data:${input.mime};base64,${(await bytesOf(input)).toString('base64')}`;

/** A file name for forms. Only its extension matters to vendors. */
export const fileNameOf = ({ kind, mime }: MediaInput): string =>
  `${kind}.${(mime.split('/')[1] ?? 'bin').replace('quicktime', 'mov')}`;

type SingleSource = 'image' | 'image2' | 'video' | 'mask' | 'lastFrame' | 'extend';

/**
 * The source media of a request, each in a form that the vendor accepts: a data URI, or the address of an uploaded
 * file.
 */
export type Sources = Partial<Record<SingleSource, string>> & {
  readonly sources?: readonly string[];
};

export const sourcesOf = async (
  { image, image2, video, mask, lastFrame, extend, sources }: MediaRequest,
  asText: (input: MediaInput) => Promise<string>,
): Promise<Sources> => {
  const singles: Partial<Record<SingleSource, string>> = {};
  for (const [name, input] of Object.entries({ image, image2, video, mask, lastFrame, extend })) {
    if (input !== undefined) singles[name as SingleSource] = await asText(input);
  }
  const further: string[] = [];
  // The loop handles one input at a time, because each may be read into memory or uploaded.
  for (const input of sources ?? []) further.push(await asText(input));
  return further.length === 0 ? singles : { ...singles, sources: further };
};
