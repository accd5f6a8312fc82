import type { MediaInput } from '../media-provider';

/** A source medium in memory. Its size was checked when it was taken in. */
export const bytesOf = async (input: MediaInput): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of await input.open()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

export const dataUriOf = async (input: MediaInput): Promise<string> =>
  `data:${input.mime};base64,${(await bytesOf(input)).toString('base64')}`;

/** A file name for forms: the type is what counts. */
export const fileNameOf = ({ kind, mime }: MediaInput): string =>
  `${kind}.${(mime.split('/')[1] ?? 'bin').replace('quicktime', 'mov')}`;
