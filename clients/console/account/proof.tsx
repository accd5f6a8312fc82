import type { ComponentChildren } from 'preact';

import { ApiError } from '../parts/api.ts';
import { Form, Problem, TextInput } from '../parts/ui.tsx';
import { useAction } from '../parts/use.ts';

type Fields = Readonly<Record<string, string>>;

/** The password, and the code if the form asked for it. */
export interface Proof {
  readonly password: string;
  readonly code?: string;
}

export const proofIn = ({ password = '', code = '' }: Fields): Proof => ({
  password,
  ...(code === '' ? {} : { code }),
});

/** The second factor: a field for both kinds of codes. */
export const CodeInput = ({
  error,
  focus = false,
  hint = 'Six digits of your authenticator app, or a recovery code.',
}: {
  readonly error: Error | undefined;
  readonly focus?: boolean;
  readonly hint?: string;
}) => (
  <TextInput
    label="Code"
    name="code"
    required
    maxLength={40}
    autoComplete="one-time-code"
    autoCapitalize="none"
    spellcheck={false}
    ref={(input: HTMLInputElement | null) => {
      if (focus && input !== null && input.value === '') input.focus();
    }}
    hint={hint}
    error={
      paramOf(error) === 'code' && codeOf(error) !== 'SECOND_FACTOR_REQUIRED' ? error?.message : undefined
    }
  />
);

export const paramOf = (error: Error | undefined): string | undefined =>
  error instanceof ApiError ? error.param : undefined;

export const codeOf = (error: Error | undefined): string | undefined =>
  error instanceof ApiError ? error.code : undefined;

/** The fields of a proof. `Problem` shows errors about other fields. */
export const ProofFields = ({
  hasCode,
  error,
}: {
  /** Whether the account has an authenticator app. */
  readonly hasCode: boolean;
  readonly error: Error | undefined;
}) => (
  <>
    <TextInput
      label="Your password"
      name="password"
      type="password"
      required
      maxLength={200}
      autoComplete="current-password"
      error={paramOf(error) === 'password' ? error?.message : undefined}
    />
    {hasCode ? <CodeInput error={error} /> : null}
  </>
);

/** The error, or undefined if a field of the proof shows it. */
export const otherThanProof = (error: Error | undefined): Error | undefined =>
  ['password', 'code'].includes(paramOf(error) ?? '') ? undefined : error;

/** A form for a change that needs a proof. A destructive change has a red button, and its other button cancels. */
export const ProofForm = ({
  hasCode,
  action,
  isDanger = false,
  onSend,
  onCancel,
  children,
}: {
  readonly hasCode: boolean;
  /** The text of the button. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly onSend: (proof: Proof, fields: Fields) => Promise<void>;
  readonly onCancel: () => void;
  readonly children?: ComponentChildren;
}) => {
  const { run, running, error } = useAction((fields: Fields) => onSend(proofIn(fields), fields));
  return (
    <Form onSend={run}>
      {children}
      <ProofFields hasCode={hasCode} error={error} />
      <Problem error={otherThanProof(error)} />
      <div class="actions">
        <button type="button" onClick={onCancel}>
          {isDanger ? 'Keep it' : 'Cancel'}
        </button>
        <button class={isDanger ? 'danger' : 'primary'} disabled={running}>
          {action}
        </button>
      </div>
    </Form>
  );
};
