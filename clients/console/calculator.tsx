import type { Schemas } from './api.ts';
import { money, time } from './format.ts';
import { MediaOptions, type Options, optionsFor } from './media-options.tsx';
import { useQuote } from './quote.ts';
import { Problem, Select, TextInput } from './ui.tsx';
import { useAddress } from './use.ts';

type Catalog = Schemas['ModelsAnswer'];

const TOKENS = { min: 1, max: 8_192, usual: 1_024 };

/** The price of any call, from the quote that a program would get. */
export const Calculator = ({ catalog }: { readonly catalog: Catalog }) => {
  const [address, setAddress] = useAddress();
  const all = [...catalog.models, ...catalog.textModels];
  const modelId = all.find(({ id }) => id === address.get('model'))?.id ?? all[0]?.id ?? '';
  const media = catalog.models.find(({ id }) => id === modelId);
  const wishes = Object.fromEntries(address) as Options & {
    readonly chars?: string;
    readonly tokens?: string;
  };
  const chars = Math.min(48_000, Math.max(0, Number(wishes.chars ?? 400) || 0));
  const tokens = Math.min(
    TOKENS.max,
    Math.max(TOKENS.min, Number(wishes.tokens ?? TOKENS.usual) || TOKENS.usual),
  );
  const wanted: Schemas['QuoteBody'] =
    media === undefined
      ? { modelId, prompt: 'x'.repeat(chars), max_tokens: tokens }
      : { modelId, ...optionsFor(media, wishes) };
  const { data, error } = useQuote(wanted);
  return (
    <div class="card calculator">
      <div class="stack">
        <Select
          label="Model"
          choices={all.map(({ id, name }) => ({ value: id, text: name }))}
          value={modelId}
          onChoose={(model) => setAddress({ model })}
        />
        {media === undefined ? (
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
        ) : (
          <div class="grid">
            <MediaOptions model={media} wishes={wishes} onChoose={(changes) => setAddress({ ...changes })} />
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
            <p class="hint">a call, exactly; the quote holds until {time(data.expiresAt)}</p>
          </>
        )}
        <Problem error={error} />
      </div>
    </div>
  );
};
