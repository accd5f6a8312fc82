import { readFile, writeFile } from 'node:fs/promises';

import type { MediaOptions, Medium } from '../lamppost.ts';
import { chat } from './chat.ts';
import { type Call, type Command, type Said, only, prompt } from './command.ts';
import { completionFor } from './completion.ts';
import { doctor } from './doctor.ts';
import { Misused, number } from './options.ts';
import { endingOf, nameFor, usd } from './output.ts';
import { endProgress, showProgress } from './progress.ts';
import { pay } from './pay.ts';
import { payerOf } from './who-pays.ts';

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
  showProgress(0);
  const made = await making.finally(endProgress);
  const bytes = await made.bytes();
  const { options, words } = call;
  const file = options.out ?? nameFor(words.join(' '), endingOf(bytes));
  await writeFile(file, bytes);
  const { url, charge, jobId } = made;
  return { json: { file, url, jobId, charge }, text: `${file}  ${usd(charge.micro)}  ${charge.id}` };
};

const KEY_DAYS = 30;
const DAY_SECONDS = 86_400;

export const COMMANDS: Readonly<Record<string, Command>> = {
  models: {
    usage: [''],
    about: 'what there is, and what it costs',
    options: [],
    examples: ['', '--json | jq .textModels'],
    run: async ({ client }) => {
      const { models, textModels } = await client.models();
      const media = models.map(({ id, mode, pricing }) => {
        const prices = Object.values(pricing.priceMicro);
        const unit = pricing.unit === 'image' ? 'an image' : 'a second';
        return `${id.padEnd(24)} ${mode.padEnd(7)} from ${usd(Math.min(...prices))} ${unit}`;
      });
      const texts = textModels.map(
        (model) =>
          `${model.id.padEnd(24)} text    $${model.chatInputUsdPerMtok} in, $${model.chatOutputUsdPerMtok} out, a million tokens`,
      );
      return { json: { models, textModels }, text: [...media, ...texts].join('\n') };
    },
  },
  quote: {
    usage: ['MODEL [--duration S] [--resolution R]'],
    about: 'the exact price of a call, free and locked for a quarter of an hour',
    options: ['duration', 'resolution'],
    examples: ['ember-image', 'torch-video --duration 8 --resolution 1080p'],
    run: async (call) => {
      const { duration, resolution } = call.options;
      const modelId = only(call, 'model');
      const quote = await call.client.quote({ modelId, duration: number(duration, 'duration'), resolution });
      return { json: quote, text: usd(quote.priceMicro) };
    },
  },
  image: {
    usage: ['WHAT… [-o FILE] [--model M] [--image FILE] [--aspect A] [--max USD]'],
    about: 'makes a picture and writes it beside you',
    more: 'It says the file, what it cost, and the charge, which `lamppost receipt` shows.',
    options: ['out', 'model', 'image', 'aspect', 'resolution', 'max', 'tag', 'pay'],
    examples: [
      'A red fox in the snow',
      'A red fox in the snow -o fox.png --max 0.05',
      'In the rain --image fox.png',
    ],
    costs: true,
    run: async (call) => keep(call, call.client.image(prompt(call), await mediaOptions(call))),
  },
  video: {
    usage: ['WHAT… [-o FILE] [--model M] [--duration S] [--resolution R] [--max USD]'],
    about: 'makes a film, shows how far it is, and writes it beside you',
    more: 'It takes minutes. Whoever breaks it off finds it with `lamppost jobs`, and waits on with `lamppost jobs wait ID`.',
    options: ['out', 'model', 'image', 'duration', 'resolution', 'aspect', 'max', 'tag', 'pay'],
    examples: [
      'Waves at night',
      'Waves at night --duration 8 -o waves.mp4 --max 1',
      'She waves --image portrait.png',
    ],
    costs: true,
    run: async (call) => keep(call, call.client.video(prompt(call), await mediaOptions(call))),
  },
  chat,
  balance: {
    usage: [''],
    about: 'what is left of an account, or of what a wallet topped up',
    options: [],
    examples: [''],
    run: async ({ client }) => {
      const balance = await client.balance();
      return { json: balance, text: usd(balance.micro) };
    },
  },
  'top-up': {
    usage: ['USD'],
    about: 'pays into the balance of the wallet, in USDC',
    more: 'Accounts are topped up on their pages, by card.',
    options: [],
    examples: ['5'],
    run: async (call) => {
      const amount = number(only(call, 'amount of USD'), 'amount')!;
      const { micro, charge } = await call.client.topUp(amount);
      return { json: { micro, charge }, text: `${usd(micro)} in the wallet's balance` };
    },
  },
  jobs: {
    usage: ['[--status S] [--tag T]', 'wait ID', 'cancel ID'],
    about: 'your jobs, the newest first; waits for one; stops one',
    options: ['status', 'tag'],
    words: ['wait', 'cancel'],
    examples: ['--status running', 'wait job_…', 'cancel job_…'],
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
    usage: ['CHARGE'],
    about: 'what became of a charge, and whether the service has signed it',
    options: [],
    examples: ['ch_…'],
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
    usage: ['', 'create NAME --max USD', 'delete ID'],
    about: 'keys for others, who spend a part of your money for a while',
    more:
      'A key that is made here spends up to --max of the money of your key or wallet, and is good for 30 days.\n' +
      'With the cookie of a session in LAMPPOST_SESSION they are the keys of its account.',
    options: ['max'],
    words: ['create', 'delete'],
    examples: ['', 'create helper --max 0.5', 'delete key_…'],
    run: async ({ client, words: [what, which], options }) => {
      const isSession = payerOf(options) === 'session';
      const shown = (key: string): string => `${key}\nIt is shown this once, and good for ${KEY_DAYS} days.`;
      if (what === 'create' && which !== undefined) {
        const max = number(options.max, 'max');
        if (isSession) {
          const limit = max === undefined ? {} : { spendLimitMicro: Math.round(max * 1e6) };
          const made = await client.keys.create({ name: which, expiresInDays: KEY_DAYS, ...limit });
          return { json: made, text: shown(made.key) };
        }
        if (max === undefined) throw new Misused('Say with --max what it may spend, in USD.');
        const made = await client.delegated.create({
          name: which,
          limitMicro: Math.round(max * 1e6),
          expiresInSeconds: KEY_DAYS * DAY_SECONDS,
        });
        return { json: made, text: shown(made.key) };
      }
      if (what === 'delete' && which !== undefined) {
        await (isSession ? client.keys : client.delegated).delete(which);
        return { json: { deleted: which }, text: `${which} is deleted.` };
      }
      if (what !== undefined) throw new Misused('It is `keys`, `keys create NAME` or `keys delete ID`.');
      const keys = isSession ? await client.keys.list() : await client.delegated.list();
      return { json: { keys }, text: keys.map(({ id, name }) => `${id}  ${name}`).join('\n') || 'No keys.' };
    },
  },
  pay: {
    usage: ['URL [-d BODY] [-H HEADER] [--max USD] [--yes] [-o FILE]'],
    about: 'pays one call of any x402 address, after it has shown what that asks',
    more:
      'It signs with LAMPPOST_PRIVATE_KEY, for USDC on Base and Base Sepolia, and for at most $1 unless --max says so.\n' +
      'Without a wallet it only shows what is asked.',
    options: ['data', 'header', 'method', 'max', 'yes', 'out', 'asset'],
    examples: [
      'https://example.com/paid/report',
      'https://example.com/api -d \'{"q":"x"}\' --yes --max 0.05',
    ],
    isAlone: true,
    run: pay,
  },
  doctor: {
    usage: ['[URL] [--key KEY]'],
    about: 'examines a service from the outside, and says what to mend',
    more: 'It pays nothing. With --key it looks at what needs one, too. It ends with 1 when something is wrong.',
    options: [],
    examples: ['https://lamppost.example', '--json'],
    isAlone: true,
    run: doctor,
  },
  completion: {
    usage: ['bash | zsh | fish'],
    about: 'what a shell needs to finish what you begin to type',
    options: [],
    words: ['bash', 'zsh', 'fish'],
    examples: ['bash >> ~/.bashrc', 'zsh >> ~/.zshrc', 'fish > ~/.config/fish/completions/lamppost.fish'],
    isAlone: true,
    run: (call) => {
      const text = completionFor(only(call, 'shell: bash, zsh or fish'), COMMANDS);
      return Promise.resolve({ json: { text }, text });
    },
  },
};
