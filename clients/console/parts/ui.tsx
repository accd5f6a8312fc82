import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { ApiError } from './api.ts';
import { useAction } from './use.ts';

type Input = Omit<JSX.IntrinsicElements['input'], 'label'>;

/** A labelled control with its hint and its error, linked for screen readers. */
export const Field = ({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly children: (ids: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: boolean;
  }) => ComponentChildren;
}) => {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((part) => part !== '')
    .join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p class="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
};

export const TextInput = ({
  label,
  hint,
  error,
  ...rest
}: { label: string; hint?: ComponentChildren; error?: string | undefined } & Input) => (
  <Field label={label} hint={hint} error={error}>
    {(ids) => <input {...rest} {...ids} />}
  </Field>
);

/** A form that passes its values to `onSend`, by the names of its controls. */
export const Form = ({
  onSend,
  children,
  ...rest
}: {
  readonly onSend: (fields: Readonly<Record<string, string>>, form: HTMLFormElement) => Promise<void>;
  readonly class?: string;
  readonly children: ComponentChildren;
}) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      const form = event.currentTarget;
      const texts = [...new FormData(form)].filter(
        (field): field is [string, string] => typeof field[1] === 'string',
      );
      void onSend(Object.fromEntries(texts), form);
    }}
  >
    {children}
  </form>
);

export interface Choice {
  readonly value: string;
  readonly text: string;
}

export const Select = ({
  label,
  hint,
  choices,
  value,
  onChoose,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly choices: readonly Choice[];
  readonly value: string;
  readonly onChoose: (value: string) => void;
}) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** An error, which screen readers announce at once, with a link to its solution if there is one. */
export const Problem = ({ error }: { readonly error: Error | undefined }) => {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A long dialog scrolls, and the error may be outside its visible part.
    if (error !== undefined && alert.current?.closest('dialog') !== null)
      alert.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div role="alert" ref={alert}>
      {error === undefined ? null : (
        <p class="notice bad">
          {error.message}
          {error instanceof ApiError && error.link !== undefined ? (
            <>
              {' '}
              <a href={error.link.href}>{error.link.text}</a>
            </>
          ) : null}
        </p>
      )}
    </div>
  );
};

export const Loading = ({ rows = 3 }: { readonly rows?: number }) => (
  <div class="loading" role="status">
    <span class="unseen">Loading</span>
    {Array.from({ length: rows }, (_, at) => (
      <span class="bone" key={at} aria-hidden="true" />
    ))}
  </div>
);

/** A placeholder for a part whose height is unknown until its data are loaded. */
export const Waits = () => <span class="loading" aria-hidden="true" />;

export const Empty = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="empty">
    <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
      <path class="glow" d="M24 12 8 42h32z" />
      <path class="lamp" d="M18 6h12l3 9H15z" />
      <path class="post" d="M22.5 15h3v27h-3z" />
    </svg>
    <p class="strong">{title}</p>
    {children}
  </div>
);

/** Copies a text, and shows a confirmation for a moment. Browsers allow this only on https and on localhost. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [message, setMessage] = useState('');
  const timer = useRef(0);
  const copy = async (): Promise<void> => {
    const ok = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(
      () => true,
      () => false,
    );
    setMessage(ok ? 'Copied' : 'Select it and copy by hand');
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setMessage(''), 2_000);
  };
  return (
    <>
      <button type="button" class="small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        {message === '' ? 'Copy' : message}
      </button>
      <span class="unseen" role="status">
        {message}
      </span>
    </>
  );
};

export const Code = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <div class="code">
    <pre tabIndex={0} aria-label={what} role="group">
      <code>{text}</code>
    </pre>
    <CopyButton text={text} what={what} />
  </div>
);

/** A dialog. The browser keeps the focus inside, and returns it afterwards. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
};

/** A dialog with one form. An error of its action appears above the buttons. */
export const FormDialog = ({
  title,
  action,
  onSend,
  onClose,
  children,
}: {
  readonly title: string;
  /** The text of the button. */
  readonly action: string;
  readonly onSend: (fields: Readonly<Record<string, string>>) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => {
  const send = useAction(onSend);
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSend={send.run}>
        {children}
        <Problem error={send.error} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={send.running}>
            {action}
          </button>
        </div>
      </Form>
    </Dialog>
  );
};

/** Asks for confirmation before an action that can’t be undone. */
export const Confirm = ({
  title,
  action,
  keep = 'Keep it',
  running,
  error,
  onYes,
  onNo,
  children,
}: {
  readonly title: string;
  readonly action: string;
  /** The text of the cancel button. */
  readonly keep?: string;
  readonly running: boolean;
  readonly error: Error | undefined;
  readonly onYes: () => void;
  readonly onNo: () => void;
  readonly children: ComponentChildren;
}) => (
  <Dialog title={title} onClose={onNo}>
    {children}
    <Problem error={error} />
    <div class="actions">
      <button type="button" onClick={onNo}>
        {keep}
      </button>
      <button type="button" class="danger" disabled={running} onClick={onYes}>
        {action}
      </button>
    </div>
  </Dialog>
);

/** A button that saves a file. */
export const Export = ({ text, save }: { readonly text: string; readonly save: () => Promise<void> }) => {
  const keep = useAction(save);
  return (
    <>
      <button type="button" class="small" disabled={keep.running} onClick={() => void keep.run()}>
        {text}
      </button>
      <Problem error={keep.error} />
    </>
  );
};

export const Badge = ({
  tone,
  children,
}: {
  readonly tone: 'good' | 'bad' | 'busy' | 'calm';
  readonly children: string;
}) => <span class={`badge ${tone}`}>{children}</span>;

interface Column {
  readonly text: string;
  readonly numeric?: true;
  /** Whether the column is hidden in a narrow window. */
  readonly roomy?: true;
}

const classOf = (names: Readonly<Record<string, true | undefined>>): string | undefined =>
  Object.keys(names)
    .filter((name) => names[name] === true)
    .join(' ') || undefined;

/** A table that can be scrolled on narrow screens, also with the keyboard. */
export const Table = ({
  caption,
  head,
  children,
  ...rest
}: {
  readonly caption: string;
  readonly head: readonly (string | Column)[];
  readonly class?: string;
  readonly children: ComponentChildren;
}) => (
  <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
    <table {...rest}>
      <caption class="unseen">{caption}</caption>
      <thead>
        <tr>
          {head.map((cell) => {
            const { text, numeric, roomy }: Column = typeof cell === 'string' ? { text: cell } : cell;
            return (
              <th key={text} scope="col" class={classOf({ number: numeric, roomy })}>
                {text}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
