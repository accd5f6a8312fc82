import type { Schemas } from '../parts/api.ts';
import { labelsOf, money, time } from '../parts/format.ts';
import { type MediaModel, MediaOptions, type Options, optionsFor } from './media-options.tsx';
import type { ListedModel } from './model-facts.ts';
import { useQuote } from './quote.ts';
import { Problem, Select, TextInput } from '../parts/ui.tsx';
import { useAddress } from '../parts/use.ts';

type Catalog = Schemas['ModelsAnswer'];

const TOKENS = { min: 1, max: 8_192, usual: 1_024 };

/** Reads the inputs from the address, and limits them to the allowed values. */
export const inputsIn = (address: URLSearchParams) => {
  const inputs = Object.fromEntries(address) as Options & {
    readonly chars?: string;
    readonly tokens?: string;
  };
  const tokens = Number(inputs.tokens ?? TOKENS.usual) || TOKENS.usual;
  return {
    inputs,
    chars: Math.min(48_000, Math.max(0, Number(inputs.chars ?? 400) || 0)),
    tokens: Math.min(TOKENS.max, Math.max(TOKENS.min, tokens)),
  };
};

/** The call that the inputs in the address describe, for a quote. */
export const wantedOf = (
  modelId: string,
  media: MediaModel | undefined,
  address: URLSearchParams,
): Schemas['QuoteBody'] => {
  const { inputs, chars, tokens } = inputsIn(address);
  return media === undefined
    ? { modelId, prompt: 'x'.repeat(chars), max_tokens: tokens }
    : { modelId, ...optionsFor(media, inputs) };
};

/** The playground with the model and the options that the person has chosen. */
export const playgroundAt = ({ id, media }: ListedModel, address: URLSearchParams): string => {
  const { inputs, tokens } = inputsIn(address);
  const { audio, ...options } = media === undefined ? { audio: undefined } : optionsFor(media, inputs);
  const fields = {
    model: id,
    ...options,
    audio: audio === false ? 'no' : undefined,
    max_tokens: media === undefined && address.has('tokens') ? tokens : undefined,
  };
  const chosen = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `playground?${new URLSearchParams(chosen.map(([name, value]) => [name, String(value)])).toString()}`;
};

/** The amount of text of a call. */
export const TextSize = () => {
  const [address, setAddress] = useAddress();
  const { chars, tokens } = inputsIn(address);
  return (
    <div class="grid">
      <TextInput
        label="Characters in"
        type="number"
        min={0}
        max={48_000}
        value={chars}
        onInput={(event) => setAddress({ chars: event.currentTarget.value })}
      />
      <TextInput
        label="Tokens out, at most"
        type="number"
        min={TOKENS.min}
        max={TOKENS.max}
        value={tokens}
        onInput={(event) => setAddress({ tokens: event.currentTarget.value })}
      />
    </div>
  );
};

/** Shows the price of any call, by the same quote that a program gets. */
export const Calculator = ({ catalog, only }: { readonly catalog: Catalog; readonly only?: string }) => {
  const [address, setAddress] = useAddress();
  const all = [...catalog.models, ...catalog.textModels];
  const modelId = only ?? all.find(({ id }) => id === address.get('model'))?.id ?? all[0]?.id ?? '';
  const media = catalog.models.find(({ id }) => id === modelId);
  const labelOf = labelsOf(all);
  const { inputs } = inputsIn(address);
  const { data, error } = useQuote(wantedOf(modelId, media, address));
  return (
    <div class="card calculator">
      <div class="stack">
        {only === undefined ? (
          <Select
            label="Model"
            choices={all.map((model) => ({ value: model.id, text: labelOf(model) }))}
            value={modelId}
            onChoose={(model) => setAddress({ model })}
          />
        ) : null}
        {media === undefined ? (
          <TextSize />
        ) : (
          <div class="grid">
            <MediaOptions model={media} inputs={inputs} onChoose={(changes) => setAddress({ ...changes })} />
          </div>
        )}
      </div>
      <div class="sum" aria-live="polite">
        {data === undefined ? (
          <p class="price">…</p>
        ) : (
          <>
            <p class="price" data-test="price">
              {money(data.priceMicro)}
            </p>
            <p class="hint">
              a call{media === undefined ? ' of /v1/agent/chat' : ''}, exactly; the quote holds until{' '}
              {time(data.expiresAt)}
            </p>
          </>
        )}
        <Problem error={error} />
      </div>
    </div>
  );
};
