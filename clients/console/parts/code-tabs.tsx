import { Code } from './ui.tsx';
import { useAddress } from './use.ts';

interface Sample {
  readonly id: string;
  readonly name: string;
  readonly code: string;
}

/** The same call in several languages, one at a time. The address contains the choice. */
export const CodeTabs = ({ samples }: { readonly samples: readonly Sample[] }) => {
  const [address, setAddress] = useAddress();
  const shown = samples.find(({ id }) => id === address.get('code')) ?? samples[0]!;
  return (
    <div class="stack">
      <div class="tabs">
        {samples.map(({ id, name }) => (
          <button
            type="button"
            key={id}
            aria-pressed={id === shown.id}
            onClick={() => setAddress({ code: id })}
          >
            {name}
          </button>
        ))}
      </div>
      <Code text={shown.code} what={`the call in ${shown.name}`} />
    </div>
  );
};
