import { readFile, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';

import type { Lamppost, MediaOptions, Medium } from '../lamppost.ts';
import { Misused, type Options, keyOf, number } from './options.ts';
import { ENDINGS, endProgress, nameFor, showProgress, usd } from './output.ts';

interface Call {
  readonly client: Lamppost;
  readonly words: readonly string[];
  readonly options: Options;
}

/** What a command says: the same as JSON and as text. */
interface Said {
  readonly json: unknown;
  readonly text: string;
}

interface Command {
  readonly usage: string;
  readonly about: string;
  readonly run: (call: Call) => Promise<Said>;
}

const prompt = ({ words }: Call): string => {
  if (words.length === 0) throw new Misused('Say what to make.');
  return words.join(' ');
};

const only = ({ words }: Call, what: string): string => {
  const [word] = words;
  if (word === undefined || words.length > 1) throw new Misused(`Give one ${what}.`);
  return word;
};

const mediaOptions = async ({ options }: Call): Promise<MediaOptions> => {
  const { model, image, duration, resolution, aspect, tag } = options;
  const isFile = image !== undefined && !/^(https?|data):/.test(image);
  return {
    modelId: model,
    image: isFile ? new Uint8Array(await readFile(image)) : image,
    resolution,
    aspectRatio: aspect,
    tag,
    onProgress: showProgress,
    ...(duration !== undefined && { duration: number(duration, 'duration') }),
  };
};

const keep = async (call: Call, making: Promise<Medium>): Promise<Said> => {
  const made = await making.finally(endProgress);
  const blob = await made.blob();
  const { options, words } = call;
  const file = options.out ?? nameFor(words.join(' '), ENDINGS[blob.type] ?? (extname(made.url) || '.bin'));
  await writeFile(file, new Uint8Array(await blob.arrayBuffer()));
  const { url, charge, jobId } = made;
  return { json: { file, url, jobId, charge }, text: `${file}  ${usd(charge.micro)}  ${charge.id}` };
};

export const COMMANDS: Readonly<Record<string, Command>> = {
  models: {
    usage: 'models',
    about: 'what there is, and what it costs',
    run: async ({ client }) => {
      const { models, textModels } = await client.models();
      const media = models.map(({ id, mode, pricing }) => {
        const prices = Object.values(pricing.priceMicro);
        return `${id.padEnd(24)} ${mode.padEnd(7)} from ${usd(Math.min(...prices))} a ${pricing.unit}`;
      });
      const texts = textModels.map(
        (model) =>
          `${model.id.padEnd(24)} text    $${model.chatInputUsdPerMtok} in, $${model.chatOutputUsdPerMtok} out, a million tokens`,
      );
      return { json: { models, textModels }, text: [...media, ...texts].join('\n') };
    },
  },
  quote: {
    usage: 'quote MODEL [--duration S] [--resolution R]',
    about: 'the exact price of a call, locked for a quarter of an hour',
    run: async (call) => {
      const { duration, resolution } = call.options;
      const modelId = only(call, 'model');
      const quote = await call.client.quote({ modelId, duration: number(duration, 'duration'), resolution });
      return { json: quote, text: usd(quote.priceMicro) };
    },
  },
  image: {
    usage: 'image WHAT… [-o FILE] [--model M] [--image FILE] [--aspect A] [--max USD]',
    about: 'makes a picture and writes it beside you',
    run: async (call) => keep(call, call.client.image(prompt(call), await mediaOptions(call))),
  },
  video: {
    usage: 'video WHAT… [-o FILE] [--model M] [--duration S] [--resolution R] [--max USD]',
    about: 'makes a film, shows how far it is, and writes it beside you',
    run: async (call) => keep(call, call.client.video(prompt(call), await mediaOptions(call))),
  },
  chat: {
    usage: 'chat WHAT… [--model M] [--tokens N] [--max USD]',
    about: 'an answer; by key as it is written',
    run: async (call) => {
      const { client, options } = call;
      const wishes = { model: options.model, maxTokens: number(options.tokens, 'tokens'), tag: options.tag };
      const isWallet = keyOf(options) === undefined;
      if (isWallet || options.json || options.max !== undefined) {
        const answer = await client.chat(prompt(call), wishes);
        return { json: answer, text: `${answer.text}\n${usd(answer.charge.micro)}` };
      }
      let cost = 0;
      for await (const { text, charge } of client.stream(prompt(call), wishes)) {
        process.stdout.write(text);
        cost += charge?.micro ?? 0;
      }
      return { json: {}, text: `\n${usd(cost)}` };
    },
  },
  balance: {
    usage: 'balance',
    about: 'what is left',
    run: async ({ client }) => {
      const balance = await client.balance();
      return { json: balance, text: usd(balance.micro) };
    },
  },
  'top-up': {
    usage: 'top-up USD',
    about: 'pays into the balance of the wallet, in USDC',
    run: async (call) => {
      const amount = number(only(call, 'amount of USD'), 'amount')!;
      const { micro, charge } = await call.client.topUp(amount);
      return { json: { micro, charge }, text: `${usd(micro)} in the wallet's balance` };
    },
  },
  jobs: {
    usage: 'jobs [--status S] [--tag T]  |  jobs cancel ID  |  jobs wait ID',
    about: 'your jobs, the newest first; stops one; waits for one',
    run: async ({ client, words: [what, id], options }) => {
      if (what === 'cancel' && id !== undefined) {
        return {
          json: await client.jobs.cancel(id),
          text: `${id} is cancelled, and its money is given back.`,
        };
      }
      if (what === 'wait' && id !== undefined) {
        const job = await client.jobs.wait(id, { onProgress: showProgress }).finally(endProgress);
        return { json: job, text: job.url ?? `${job.status}: ${job.error ?? ''}` };
      }
      if (what !== undefined) throw new Misused('It is `jobs`, `jobs cancel ID` or `jobs wait ID`.');
      const status = options.status as 'running' | 'done' | 'failed' | undefined;
      const jobs = [];
      for await (const job of client.jobs.list({ status, tag: options.tag })) jobs.push(job);
      const lines = jobs.map((job) => `${job.id}  ${job.status.padEnd(7)}  ${job.modelId}  ${job.createdAt}`);
      return { json: { jobs }, text: lines.join('\n') || 'No jobs.' };
    },
  },
  receipt: {
    usage: 'receipt CHARGE',
    about: 'what became of a charge, and whether the service has signed it',
    run: async (call) => {
      const receipt = await call.client.receipts.get(only(call, 'charge'));
      const genuine = await call.client.receipts.verify(receipt);
      const { id, state, priceMicro, rail } = receipt;
      const proof = genuine ? 'signed by the service' : 'NOT signed by the service';
      return {
        json: { ...receipt, genuine },
        text: `${id}  ${state}  ${usd(priceMicro)}  ${rail}  ${proof}`,
      };
    },
  },
  keys: {
    usage: 'keys  |  keys create NAME  |  keys delete ID',
    about: "an account's keys, with its cookie in LAMPPOST_SESSION",
    run: async ({ client, words: [what, which] }) => {
      if (what === 'create' && which !== undefined) {
        const made = await client.keys.create({ name: which, expiresInDays: 90 });
        return { json: made, text: `${made.key}\nIt is shown this once, and good for 90 days.` };
      }
      if (what === 'delete' && which !== undefined) {
        await client.keys.delete(which);
        return { json: { deleted: which }, text: `${which} is deleted.` };
      }
      if (what !== undefined) throw new Misused('It is `keys`, `keys create NAME` or `keys delete ID`.');
      const keys = await client.keys.list();
      return { json: { keys }, text: keys.map(({ id, name }) => `${id}  ${name}`).join('\n') || 'No keys.' };
    },
  },
};
