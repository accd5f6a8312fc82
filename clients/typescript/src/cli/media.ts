import { readFile } from 'node:fs/promises';

import type { MediaOptions, Medium } from '../lamppost.ts';
import type { Call, Command, Said } from './command.ts';
import { Misused, number } from './options.ts';
import { NotKept, checkOut, endingOf, nameFor, note, usd, writeMade } from './output.ts';
import { endProgress, showProgress } from './progress.ts';
import { DASH, checkWords, stdinBytes, wordsOrStdin } from './stdin.ts';
import { stopped } from './stop.ts';

const imageOf = async (image: string | undefined): Promise<MediaOptions['image']> => {
  if (image === undefined || /^(https?|data):/.test(image)) return image;
  if (image === DASH) return stdinBytes();
  return readFile(image).catch((error: unknown) => {
    throw new Misused(`--image ${image} cannot be read: ${(error as Error).message}`);
  });
};

const mediaOptions = async ({ options }: Call): Promise<MediaOptions> => {
  const { model, image, duration, resolution, aspect, tag } = options;
  return {
    model,
    image: await imageOf(image),
    resolution,
    aspectRatio: aspect,
    tag,
    signal: stopped,
    onProgress: showProgress,
    duration: number(duration, 'duration'),
  };
};

/** Reads the arguments before an account is made. */
const check: Command['check'] = async ({ words, options }) => {
  number(options.duration, 'duration');
  await checkOut(options.out);
  await imageOf(options.image);
  checkWords(words);
};

const keep = async (call: Call, prompt: string, making: Promise<Medium>): Promise<Said> => {
  showProgress(0);
  const made = await making.finally(endProgress);
  const { out } = call.options;
  const { url, charge, jobId } = made;
  const bytes = await made.bytes().catch((error: unknown) => {
    throw new NotKept({ url, jobId, charge }, error);
  });
  note(`${usd(charge.micro)}  ${charge.id}\n`);
  if (out === DASH) {
    process.stdout.write(bytes);
    return { json: { url, jobId, charge }, text: '', isWritten: true };
  }
  const file = out ?? nameFor(prompt, endingOf(bytes));
  await writeMade(file, bytes, { url, jobId, charge });
  return { json: { file, url, jobId, charge }, text: file };
};

export const image: Command = {
  usage: ['WHAT… [-o FILE] [--model M] [--image FILE] [--aspect A] [--max USD]'],
  about: 'makes a picture and saves it in this folder',
  more:
    'It prints the file, and beside that what it cost and the charge, which `lamppost receipt` shows. Ctrl-C cancels it where that\n' +
    'is not too late, and says what became of it. `-` reads WHAT or --image from the standard input; `-o -` writes to the output.',
  options: ['out', 'model', 'image', 'aspect', 'resolution', 'max', 'tag', 'pay', 'network', 'asset'],
  examples: [
    'A red fox in the snow',
    'A red fox in the snow -o fox.png --max 0.05',
    'In the rain --image fox.png',
  ],
  costs: true,
  check,
  run: async (call) => {
    const prompt = await wordsOrStdin(call.words);
    return keep(call, prompt, call.client.image(prompt, await mediaOptions(call)));
  },
};

export const video: Command = {
  usage: ['WHAT… [-o FILE] [--model M] [--duration S] [--resolution R] [--max USD]'],
  about: 'makes a film, shows its progress, and saves it in this folder',
  more:
    'It takes minutes. Ctrl-C cancels it where that is not too late, and says what became of it; `lamppost jobs wait ID` waits on\n' +
    'for one that could not be cancelled.',
  options: [
    'out',
    'model',
    'image',
    'duration',
    'resolution',
    'aspect',
    'max',
    'tag',
    'pay',
    'network',
    'asset',
  ],
  examples: [
    'Waves at night',
    'Waves at night --duration 8 -o waves.mp4 --max 1',
    'She waves --image portrait.png',
  ],
  costs: true,
  check,
  run: async (call) => {
    const prompt = await wordsOrStdin(call.words);
    return keep(call, prompt, call.client.video(prompt, await mediaOptions(call)));
  },
};
