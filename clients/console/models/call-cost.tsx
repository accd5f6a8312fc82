import { money } from '../parts/format.ts';
import { type TextModel, exact, microIn } from './model-facts.ts';
import { TextInput } from '../parts/ui.tsx';
import { useAddress } from '../parts/use.ts';

/** The tokens of a call. */
interface CallSize {
  readonly input: number;
  /** Among the input. */
  readonly cached: number;
  readonly output: number;
}

const TOKENS_MAX = 10_000_000;
const USUAL = { in: 10_000, cached: 0, out: 1_000 };
type Name = keyof typeof USUAL;

/** Undefined if the text is no number of tokens. */
const tokensIn = (text: string): number | undefined => {
  const tokens = Number(text);
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= TOKENS_MAX ? tokens : undefined;
};

const textIn = (address: URLSearchParams, name: Name): string => address.get(name) ?? String(USUAL[name]);

/** The mistake in a field, in words. */
const problemOf = (address: URLSearchParams, name: Name): string | undefined => {
  const tokens = tokensIn(textIn(address, name));
  if (tokens === undefined) return `Give a whole number from 0 to ${TOKENS_MAX.toLocaleString('en')}.`;
  const input = tokensIn(textIn(address, 'in'));
  return name === 'cached' && input !== undefined && tokens > input
    ? 'More than the tokens in. Give at most as many.'
    : undefined;
};

/** The call in the fields. Undefined if no call can have these tokens. */
export const callSizeIn = (address: URLSearchParams): CallSize | undefined => {
  const names: readonly Name[] = ['in', 'cached', 'out'];
  if (names.some((name) => problemOf(address, name) !== undefined)) return undefined;
  const [input = 0, cached = 0, output = 0] = names.map((name) => tokensIn(textIn(address, name)));
  return { input, cached, output };
};

/** Why the model can't run a call of this size. */
export const misfitOf = (
  { contextTokens = Infinity, maxOutputTokens = Infinity }: TextModel,
  { input, output }: CallSize,
): string | undefined => {
  if (input + output > contextTokens) return `reads at most ${contextTokens.toLocaleString('en')} tokens`;
  return output > maxOutputTokens
    ? `writes at most ${maxOutputTokens.toLocaleString('en')} tokens`
    : undefined;
};

/** The rates of a call with so many tokens of input. */
export const ratesAt = (model: TextModel, input: number): TextModel =>
  Object.assign({}, model, ...(model.above ?? []).filter(({ tokens }) => input > tokens)) as TextModel;

/** The price of a call that is charged by usage in micro-USD, at the step that the input reaches. Rounded up once, as the service does. */
export const callCost = (model: TextModel, { input, cached, output }: CallSize): number => {
  const rates = ratesAt(model, input);
  const sum =
    BigInt(input - cached) * exact(rates.inputUsdPerMtok) +
    BigInt(cached) * exact(rates.cacheReadUsdPerMtok ?? rates.inputUsdPerMtok) +
    BigInt(output) * exact(rates.outputUsdPerMtok);
  const unit = exact('1');
  return Number((sum + unit - 1n) / unit);
};

/** The price by usage of the tokens that the visitor has entered. */
export const TextPrice = ({
  model,
  decimals = 2,
}: {
  readonly model: TextModel;
  readonly decimals?: number;
}) => {
  const [address] = useAddress();
  const size = callSizeIn(address);
  if (size === undefined) return <>–</>;
  const misfit = misfitOf(model, size);
  return misfit === undefined ? (
    <>{money(callCost(model, size), decimals)}</>
  ) : (
    <span class="soft misfit">{misfit}</span>
  );
};

const usd = (text: string): string => money(microIn(text));

/** The prices of longer inputs. */
export const stepsText = ({ above = [], inputUsdPerMtok, outputUsdPerMtok }: TextModel): string =>
  above
    .map(
      (step) =>
        `above ${step.tokens.toLocaleString('en')} tokens: ${usd(step.inputUsdPerMtok ?? inputUsdPerMtok)} in, ` +
        `${usd(step.outputUsdPerMtok ?? outputUsdPerMtok)} out`,
    )
    .join('; ');

/** The price of `/v1/agent/chat`, and for wallets of some models also by usage. */
export const chatPriceText = ({ chatInputUsdPerMtok, chatOutputUsdPerMtok }: TextModel): string =>
  `${usd(chatInputUsdPerMtok)} in, ${usd(chatOutputUsdPerMtok)} out`;

export const tokensText = (most: number | undefined): string =>
  most === undefined ? '–' : `${most.toLocaleString('en')} tokens`;

/** The tokens of the call whose price the list shows. */
export const CallSizeFields = () => {
  const [address, setAddress] = useAddress();
  const field = (label: string, name: Name) => (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={textIn(address, name)}
      error={problemOf(address, name)}
      onInput={({ currentTarget }) => setAddress({ [name]: currentTarget.value })}
    />
  );
  return (
    <div class="grid">
      {field('Tokens in', 'in')}
      {field('Of them cached', 'cached')}
      {field('Tokens out', 'out')}
    </div>
  );
};
