import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Allowed } from '../parts/allowed.tsx';
import { type Schemas, call } from '../parts/api.ts';
import { Confirm, Problem } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

/** The texts of the buttons of a key. */
interface Words {
  readonly off: string;
  readonly on: string;
  readonly end: string;
  readonly confirm: string;
}

/** The buttons that switch a key off and on, and end it after a question. */
export const KeyButtons = ({
  line,
  name,
  words,
  question,
  more,
  onChange,
}: {
  readonly line: Schemas['KeyAnswer'];
  readonly name: string;
  readonly words: Words;
  readonly question: ComponentChildren;
  /** Further buttons of a key that has not expired. */
  readonly more?: ComponentChildren;
  readonly onChange: () => void;
}) => {
  const [asking, setAsking] = useState(false);
  const at = { id: line.id };
  const turn = useAction(async () => {
    await call('patch', '/v1/account/keys/{id}', { at, body: { enabled: !line.enabled } });
    onChange();
  });
  const end = useAction(async () => {
    await call('delete', '/v1/account/keys/{id}', { at });
    setAsking(false);
    onChange();
  });
  const turnWord = line.enabled ? words.off : words.on;
  return (
    <>
      <Allowed to="DELETE /v1/account/keys/:id">
        <div class="row">
          {line.state === 'expired' ? null : (
            <>
              {more}
              <button
                type="button"
                class="small"
                aria-label={`${turnWord} ${name}`}
                disabled={turn.running}
                onClick={() => void turn.run()}
              >
                {turnWord}
              </button>
            </>
          )}
          <button
            type="button"
            class="small danger"
            aria-label={`${words.end} ${name}`}
            onClick={() => setAsking(true)}
          >
            {words.end}
          </button>
        </div>
      </Allowed>
      <Problem error={turn.error} />
      {asking ? (
        <Confirm
          title={`${words.end} ${name}?`}
          action={words.confirm}
          running={end.running}
          error={end.error}
          onYes={() => void end.run()}
          onNo={() => setAsking(false)}
        >
          <p>{question}</p>
        </Confirm>
      ) : null}
    </>
  );
};
