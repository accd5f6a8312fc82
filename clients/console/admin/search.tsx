import { Form, TextInput } from '../parts/ui.tsx';
import { useAddress } from '../parts/use.ts';

/** The search of an operator's list. It is in the address, so that operators can share a result. */
export const useSearch = (): string => useAddress()[0].get('search') ?? '';

export const SearchBox = ({ label, hint }: { readonly label: string; readonly hint: string }) => {
  const [address, setAddress] = useAddress();
  const search = address.get('search') ?? '';
  return (
    <Form class="stack" onSend={async ({ search: typed = '' }) => setAddress({ search: typed.trim() })}>
      <TextInput
        key={search}
        label={label}
        hint={hint}
        name="search"
        type="search"
        defaultValue={search}
        autoComplete="off"
        spellcheck={false}
      />
      <div class="actions">
        <button>Find</button>
        {search === '' ? null : (
          <button type="button" onClick={() => setAddress({ search: '' })}>
            Show all
          </button>
        )}
      </div>
    </Form>
  );
};
