import { bytes } from '../parts/format.ts';

export type InputName = 'image' | 'image2' | 'video';

/** The inputs of each mode. */
const INPUTS: Readonly<Record<string, readonly InputName[]>> = {
  i2i: ['image'],
  i2v: ['image'],
  swap: ['image', 'image2'],
  motion: ['image', 'video'],
};

export const inputsOf = (mode: string): readonly InputName[] => INPUTS[mode] ?? [];

const MEGABYTE = 1_048_576;
export const CAPS = { image: 8 * MEGABYTE, video: 40 * MEGABYTE } as const;
export const readDataUri = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(new Error(`${file.name} can't be read.`)));
    reader.readAsDataURL(file);
  });

/** Checks a file before the page sends it. The service checks it again. */
export const problemOf = (file: File, kind: 'image' | 'video'): string | undefined => {
  if (!file.type.startsWith(`${kind}/`)) return `${file.name} is no ${kind}.`;
  return file.size > CAPS[kind]
    ? `${file.name} has ${bytes(file.size)}; at most ${bytes(CAPS[kind])} are taken.`
    : undefined;
};
