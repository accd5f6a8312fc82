import { channel } from './channel.ts';
import { chat } from './chat.ts';
import { type Command, only } from './command.ts';
import { completionFor } from './completion.ts';
import { doctor } from './doctor.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { listen } from './listen.ts';
import { login, logout } from './login.ts';
import { image, video } from './media.ts';
import { number } from './options.ts';
import { checkOut, usd } from './output.ts';
import { pay } from './pay.ts';
import { provenance } from './provenance.ts';
import { topUp } from './top-up.ts';
import { verify } from './verify.ts';
import { witness } from './witness.ts';

export const COMMANDS: Readonly<Record<string, Command>> = {
  models: {
    usage: [''],
    about: 'lists the models with their prices',
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
  image,
  video,
  chat,
  balance: {
    usage: [''],
    about: 'the remaining money of an account or of a wallet',
    options: [],
    examples: [''],
    run: async ({ client }) => {
      const balance = await client.balance();
      return { json: balance, text: usd(balance.micro) };
    },
  },
  'top-up': topUp,
  channel,
  jobs,
  receipt: {
    usage: ['CHARGE'],
    about: 'shows the state of a charge, and checks its signature',
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
  verify,
  provenance,
  witness,
  keys,
  login,
  logout,
  listen,
  pay: {
    usage: ['URL [-d BODY] [-H HEADER] [--max USD] [--yes] [-o FILE]'],
    about: 'shows the price of any x402 address, then pays for one call',
    more:
      'It signs with LAMPPOST_PRIVATE_KEY. By default it pays only USDC on Base or Base Sepolia, and at most $1: --network,\n' +
      '--asset and --max change this. Without a wallet it only shows the price.',
    options: ['data', 'header', 'method', 'max', 'yes', 'out', 'network', 'asset'],
    examples: [
      'https://example.com/paid/report',
      'https://example.com/api -d \'{"q":"x"}\' --yes --max 0.05',
    ],
    isAlone: true,
    check: ({ options }) => checkOut(options.out ?? '-'),
    run: pay,
  },
  doctor: {
    usage: ['[URL] [--key KEY]'],
    about: 'checks a service from the outside, and reports what to fix',
    more: 'It pays nothing. With --key it also makes the checks that need a key. It ends with 1 when something is wrong.',
    options: [],
    examples: ['https://lamppost.example', '--json'],
    isAlone: true,
    run: doctor,
  },
  completion: {
    usage: ['bash | zsh | fish'],
    about: 'a script with which a shell completes lamppost commands',
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
