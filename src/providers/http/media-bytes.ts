import type { MediaInput, MediaRequest } from '../media-provider';

/** A source medium in memory. Its size was checked when it was received. */
export const bytesOf = async (input: MediaInput): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of await input.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const dataUriOf = async (input: MediaInput): Promise<string> =>
  `data:${input.mime};base64,${(await bytesOf(input)).toString('base64')}`;

/** A file name for forms; only its type matters. */
export const fileNameOf = ({ kind, mime }: MediaInput): string =>
  `${kind}.${(mime.split('/')[1] ?? 'bin').replace('quicktime', 'mov')}`;

/**
 * The source media of a request, each as a text that the vendor accepts: a data URI, or the address of an uploaded
 * file.
 */
export type Sources = Partial<Record<'image' | 'image2' | 'video', string>>;

export const sourcesOf = async (
  { image, image2, video }: MediaRequest,
  asText: (input: MediaInput) => Promise<string>,
): Promise<Sources> => {
  const sources: Sources = {};
  for (const [name, input] of Object.entries({ image, image2, video })) {
    if (input !== undefined) sources[name as keyof Sources] = await asText(input);
  }
  return sources;
};
