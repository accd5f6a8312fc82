import { CallSizeFields, TextPrice, ratesAt, tokensText } from './call-cost.tsx';
import { type TextModel, microIn } from './model-facts.ts';
import { decimalsOf, money } from '../parts/format.ts';
import { Table } from '../parts/ui.tsx';

const KINDS = [
  ['inputUsdPerMtok', 'In'],
  ['cacheReadUsdPerMtok', 'In, from the cache'],
  ['cacheWriteUsdPerMtok', 'In, into the cache'],
  ['cacheWrite1hUsdPerMtok', 'In, into the cache for an hour'],
  ['inputImageUsdPerMtok', 'In, of images'],
  ['outputUsdPerMtok', 'Out'],
] as const;

/** The inputs, limits and prices by usage of a text model, and the price of the tokens that the visitor has entered. */
export const UsagePrices = ({ model }: { readonly model: TextModel }) => {
  const { above = [], inputs, contextTokens, maxOutputTokens } = model;
  const steps = [0, ...above.map(({ tokens }) => tokens + 1)].map((input) => ratesAt(model, input));
  const rows = KINDS.filter(([name]) => steps.some((rates) => rates[name] !== undefined)).map(
    ([name, text]) => ({ text, micros: steps.map((rates) => microIn(rates[name] ?? rates.inputUsdPerMtok)) }),
  );
  const decimals = decimalsOf(rows.flatMap(({ micros }) => micros));
  const lengths = above.map(({ tokens }) => tokens.toLocaleString('en'));
  return (
    <>
      <div class="card calculator">
        <CallSizeFields />
        <div class="sum" aria-live="polite">
          <p class="price" data-test="usage">
            <TextPrice model={model} />
          </p>
          <p class="hint">a call by usage, with an account; wallets pay more for some models</p>
        </div>
      </div>
      <div class="card stack">
        <dl class="facts">
          <div>
            <dt>Reads</dt>
            <dd>{inputs.join(', ')}</dd>
          </div>
          <div>
            <dt>Context</dt>
            <dd>{tokensText(contextTokens)}</dd>
          </div>
          <div>
            <dt>Longest answer</dt>
            <dd>{tokensText(maxOutputTokens)}</dd>
          </div>
        </dl>
        <Table
          caption="Prices of a million tokens"
          head={[
            'A million',
            { text: lengths[0] === undefined ? 'Price' : `Up to ${lengths[0]} in`, numeric: true },
            ...lengths.map((length) => ({ text: `Above ${length} in`, numeric: true }) as const),
          ]}
        >
          {rows.map(({ text, micros }) => (
            <tr key={text}>
              <th scope="row">{text}</th>
              {micros.map((micro, at) => (
                <td key={at} class="number">
                  {money(micro, decimals)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
        {lengths.length === 0 ? null : (
          <p class="hint">
            If the input is longer, the prices of its column hold for all tokens of the call.
          </p>
        )}
      </div>
    </>
  );
};
