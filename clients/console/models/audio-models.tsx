import type { Catalog } from './model-facts.ts';
import { decimalsOf, money } from '../parts/format.ts';
import { Badge, Table } from '../parts/ui.tsx';

export const UNITS = { million_characters: 'a million characters', hour: 'an hour' } as const;
export const MAKES = { speech: 'text to speech', transcription: 'speech to text' } as const;

/** The models that read texts out and write recordings down. Nothing if none is sold. */
export const AudioModels = ({ audioModels }: Pick<Catalog, 'audioModels'>) => {
  const decimals = decimalsOf(audioModels.map(({ pricing }) => pricing.priceMicro));
  if (audioModels.length === 0) return null;
  return (
    <section class="stack" aria-labelledby="audio">
      <h2 id="audio">Audio</h2>
      <div class="card">
        <Table
          caption="Audio"
          class="log"
          head={['Model', 'Makes', { text: 'Voices', roomy: true }, { text: 'Price', numeric: true }]}
        >
          {audioModels.map(({ id, name, kind, voices = [], pricing, adultsOnly }) => (
            <tr key={id}>
              <th scope="row">
                <a href={`models/${encodeURIComponent(id)}`}>{name}</a> <span class="soft mono">{id}</span>{' '}
                {adultsOnly === true ? <Badge tone="calm">adults only</Badge> : null}
              </th>
              <td>{MAKES[kind]}</td>
              <td class="soft roomy">{voices.join(', ')}</td>
              <td class="number priced">
                <span>{money(pricing.priceMicro, decimals)} </span>
                <span>{UNITS[pricing.unit]}</span>
              </td>
            </tr>
          ))}
        </Table>
      </div>
    </section>
  );
};
