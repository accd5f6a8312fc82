/** The options of commands. */
export const OPTIONS = {
  url: { type: 'string', about: 'where the service is (LAMPPOST_URL)' },
  key: { type: 'string', about: 'a key of an account (LAMPPOST_KEY)' },
  pay: {
    type: 'string',
    about: 'how a wallet pays: x402, balance or channel; its key is in LAMPPOST_PRIVATE_KEY',
  },
  max: { type: 'string', about: 'the most that this may cost, in USD' },
  model: { type: 'string', about: 'a model, as `lamppost models` names it' },
  image: { type: 'string', about: 'a picture to work from: an address or a file' },
  duration: { type: 'string', about: 'seconds of a film' },
  resolution: { type: 'string', about: 'as the model names it, such as 1080p' },
  aspect: { type: 'string', about: 'such as 16:9' },
  out: { type: 'string', short: 'o', about: 'where to write what came back; - is the output' },
  tokens: { type: 'string', about: 'the most tokens of an answer' },
  tag: { type: 'string', about: 'a word of your own for the job and the receipt' },
  status: { type: 'string', about: 'only jobs that are running, done or failed' },
  method: { type: 'string', short: 'X', about: 'GET, or POST where there is --data' },
  data: { type: 'string', short: 'd', about: 'a body to send; @FILE sends a file, as curl does' },
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    about: 'a header to send, such as "Accept: text/plain"',
  },
  network: {
    type: 'string',
    about:
      'where a wallet pays, such as polygon or eip155:137; the first of several counts (LAMPPOST_NETWORK)',
  },
  asset: { type: 'string', about: 'another token than USDC that may be paid there, by its address' },
  expires: { type: 'string', about: 'how long a key is valid, such as 90m, 12h or 30d' },
  forward: { type: 'string', about: 'an address that receives each event' },
  types: { type: 'string', about: 'only these events, with commas between them' },
  after: { type: 'string', about: 'the event after which to begin' },
  secret: { type: 'string', about: 'a secret of your own to sign events with: whsec_…' },
  from: { type: 'string', about: 'the first moment of a statement, such as 2026-01-01T00:00:00Z' },
  to: { type: 'string', about: 'the moment before which a statement ends' },
  verifier: { type: 'string', about: 'the verifier key of a log, which is then not asked for' },
  witness: {
    type: 'string',
    multiple: true,
    about: 'the verifier key of a witness that must have cosigned the log',
  },
  state: { type: 'string', about: 'the file of known checkpoints' },
  rpc: { type: 'string', about: 'your node of the chain, to read the checkpoints on it' },
  name: { type: 'string', about: 'the name of a witness, such as witness.example.com/w1' },
  port: { type: 'string', about: 'where a witness listens' },
  upload: { type: 'boolean', about: 'send the picture, too' },
  yes: { type: 'boolean', short: 'y', about: 'pay without a question' },
  json: { type: 'boolean', about: 'one JSON object, for scripts' },
  help: { type: 'boolean', short: 'h', about: 'shows the help of a command' },
  version: { type: 'boolean', about: 'shows the version of the command' },
} as const;

export type OptionName = keyof typeof OPTIONS;

export type Options = {
  readonly [Name in OptionName]?: Name extends 'json' | 'help' | 'yes' | 'version' | 'upload'
    ? boolean
    : Name extends 'header' | 'witness'
      ? string[]
      : string;
};

/** The command line has an invalid value. */
export class Misused extends Error {}

/** The call needs a payment, but there is no payer, the payment is not allowed, or the user refused it. */
export class NotPaid extends Error {}

export const number = (text: string | undefined, name: string): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text === '' || Number.isNaN(value)) throw new Misused(`--${name} must be a number.`);
  return value;
};

export const keyOf = ({ key }: Options): string | undefined =>
  (key ?? process.env['LAMPPOST_KEY']) || undefined;
