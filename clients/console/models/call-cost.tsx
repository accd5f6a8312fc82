import type { TextModel } from './model-facts.ts';
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

const tokensIn = (text: string | null, usual: number): number =>
  Math.min(TOKENS_MAX, Math.max(0, Math.floor(Number(text ?? usual)) || 0));

export const callSizeIn = (address: URLSearchParams): CallSize => {
  const input = tokensIn(address.get('in'), 10_000);
  return {
    input,
    cached: Math.min(input, tokensIn(address.get('cached'), 0)),
    output: tokensIn(address.get('out'), 1_000),
  };
};

const DECIMALS = 9;

/** A decimal rate as a whole number of its last decimal, because floats are not exact. */
const exact = (rate: string): bigint => {
  const [whole = '0', part = ''] = rate.split('.');
  return BigInt(whole + part.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
};

/** The price of a call that is charged by usage in micro-USD, at the step that the input reaches. Rounded up once, as the service does. */
export const callCost = (model: TextModel, { input, cached, output }: CallSize): number => {
  const reached = (model.above ?? []).filter(({ tokens }) => input > tokens);
  const rates = Object.assign({}, model, ...reached) as TextModel;
  const sum =
    BigInt(input - cached) * exact(rates.inputUsdPerMtok) +
    BigInt(cached) * exact(rates.cacheReadUsdPerMtok ?? rates.inputUsdPerMtok) +
    BigInt(output) * exact(rates.outputUsdPerMtok);
  const unit = 10n ** BigInt(DECIMALS);
  return Number((sum + unit - 1n) / unit);
};

/** The tokens of the call whose price the list shows. */
export const CallSizeFields = () => {
  const [address, setAddress] = useAddress();
  const { input, cached, output } = callSizeIn(address);
  const field = (label: string, name: string, value: number) => (
    <TextInput
      label={label}
      type="number"
      min={0}
      max={TOKENS_MAX}
      value={value}
      onInput={({ currentTarget }) => setAddress({ [name]: currentTarget.value })}
    />
  );
  return (
    <div class="grid">
      {field('Tokens in', 'in', input)}
      {field('Of them cached', 'cached', cached)}
      {field('Tokens out', 'out', output)}
    </div>
  );
};
