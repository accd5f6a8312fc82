import { useState } from 'preact/hooks';

import { allKeys } from '../parts/all-keys.ts';
import { facts } from '../parts/shell.tsx';
import { Select, TextInput } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

/** The payer of a call. Without a key, the session pays. */
export type Payer = { readonly key: string | undefined } | { readonly missing: string };

const SESSION = '';
const OTHER = 'other';

/**
 * Asks which key pays. The service does not know the secret of a key, so the person types it. Only this page keeps it,
 * until the person leaves the page.
 */
export const usePayer = () => {
  const [chosen, setChosen] = useState(facts.signedIn ? SESSION : OTHER);
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({});
  // Some roles may not list keys, but they can still type the secret of one.
  const { data } = useLoaded(
    async (signal) => (facts.signedIn ? await allKeys(signal).catch(() => undefined) : undefined),
    [],
  );
  const keys = data?.keys.filter(({ state }) => state === 'active') ?? [];
  const known = keys.find(({ id }) => id === chosen);
  const secret = (secrets[chosen] ?? '').trim();
  const isOther = known !== undefined && secret !== '' && !secret.startsWith(known.prefix);
  const name = known?.name ?? 'the key';
  const payer: Payer =
    chosen === SESSION
      ? { key: undefined }
      : secret === '' || isOther
        ? { missing: `Enter the secret of ${name}.` }
        : { key: secret };
  const field = (
    <>
      <Select
        label="Send with"
        choices={[
          ...(facts.signedIn ? [{ value: SESSION, text: 'Your session' }] : []),
          ...keys.map(({ id, name: text, prefix }) => ({ value: id, text: `${text} (${prefix}…)` })),
          { value: OTHER, text: facts.signedIn ? 'Another key' : 'A key' },
        ]}
        value={chosen}
        onChoose={setChosen}
      />
      {chosen === SESSION ? null : (
        <TextInput
          key={chosen}
          label={known === undefined ? 'Secret of the key' : `Secret of ${known.name}`}
          type="password"
          autoComplete="off"
          spellcheck={false}
          value={secrets[chosen] ?? ''}
          error={isOther ? `This is another key. ${known.name} begins with ${known.prefix}.` : undefined}
          hint="This page alone keeps it, until you leave the page."
          onInput={({ currentTarget: { value } }) => setSecrets((before) => ({ ...before, [chosen]: value }))}
        />
      )}
    </>
  );
  return { payer, field };
};
