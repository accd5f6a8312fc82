import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { microOf, money } from '../parts/format.ts';
import { Code, Dialog, FormDialog, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type NewKey = Schemas['NewKeyAnswer'];

const DAYS = 30;
const LIMIT_USD = '5';

/** The key that the guide shows in its examples. */
const PLACEHOLDER = 'lp_…';

interface Program {
  readonly name: string;
  /** The lines to paste, and before each block the sentence of the guide about it. */
  readonly blocks: readonly { readonly about: string; readonly code: string }[];
}

/** The programs of the guide: its sections with code that names the key. Each has a heading and fenced blocks. */
export const programsIn = (guide: string, key: string): readonly Program[] =>
  guide
    .split(/^##+ /m)
    .slice(1)
    .flatMap((section) => {
      const name = section.slice(0, section.indexOf('\n')).trim();
      const blocks = [
        ...section.slice(name.length).matchAll(/(?:^|\n\n)((?:[^\n`][^\n]*\n)?)\n?```\w*\n([\s\S]*?)```/g),
      ].map(([, about = '', code = '']) => ({
        about: about.trim().replaceAll('`', ''),
        code: code.trimEnd().replaceAll(PLACEHOLDER, key),
      }));
      return section.includes(PLACEHOLDER) ? [{ name, blocks }] : [];
    });

/** Makes a key for a coding agent: for texts only, with a limit and an end. */
export const AgentKeyForm = ({
  onMade,
  onClose,
}: {
  readonly onMade: (made: NewKey) => void;
  readonly onClose: () => void;
}) => {
  const [limit, setLimit] = useState(LIMIT_USD);
  const micro = microOf(limit.trim());
  return (
    <FormDialog
      title="A key for a coding agent"
      action="Make the key"
      onClose={onClose}
      onSend={async ({ name = '' }) => {
        if (!micro) throw new Error('The limit must be an amount in dollars, such as 5 or 0.50.');
        onMade(
          await call('post', '/v1/account/keys', {
            body: {
              name,
              expiresInDays: DAYS,
              spendLimits: { totalMicro: micro },
              scopes: { routes: ['studio', 'read'] },
            },
          }),
        );
      }}
    >
      <p>An agent works for hours without a question. This key pays texts by the token, and nothing else.</p>
      <TextInput label="Name" name="name" required maxLength={100} defaultValue="coding agent" />
      <TextInput
        label="It may spend at most, in USD"
        name="limit"
        required
        inputMode="decimal"
        value={limit}
        onInput={({ currentTarget }) => setLimit(currentTarget.value)}
      />
      <p class="soft" role="status">
        {micro
          ? `It ends after ${money(micro)} or ${DAYS} days.`
          : 'An amount in dollars, such as 5 or 0.50.'}
      </p>
    </FormDialog>
  );
};

/** Shows the new key in the lines to paste for each program. No other page can show it. */
export const AgentKeyShown = ({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) => {
  const { data, error } = useLoaded(async (signal) => {
    const answer = await fetch('guides/agents.md', { signal });
    if (!answer.ok) throw new Error('The guide could not be loaded. The key is above.');
    return programsIn(await answer.text(), made.key);
  }, []);
  const [chosen, setChosen] = useState<string>();
  const shown = data?.find(({ name }) => name === chosen) ?? data?.[0];
  return (
    <Dialog title="Your new key" onClose={onClose}>
      <p>
        Copy <strong>{made.name}</strong> now and keep it in a safe place: it is never shown again.
      </p>
      <Code text={made.key} what="the key" />
      <Problem error={error} />
      {data === undefined && error === undefined ? <Loading rows={4} /> : null}
      {data === undefined ? null : (
        <div class="tabs">
          {data.map(({ name }) => (
            <button
              type="button"
              key={name}
              aria-pressed={name === shown?.name}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      {shown?.blocks.map(({ about, code }) => (
        <div key={code} class="stack">
          {about === '' ? null : <p class="soft">{about}</p>}
          <Code text={code} what={`the settings of ${shown.name}`} />
        </div>
      ))}
      <div class="actions">
        <a href="guides/agents">The guide</a>
        <button type="button" class="primary" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
};
