import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Dialog, Form, Problem, TextInput } from '../parts/ui.tsx';
import type { useAction } from '../parts/use.ts';

/** A button for each action on a row of a list. */
export const ActionButtons = <Action extends string>({
  actions,
  about,
  onAsk,
}: {
  /** The label of the button, and the full name of the action. */
  readonly actions: readonly { readonly action: Action; readonly word: string; readonly title: string }[];
  readonly about: string;
  readonly onAsk: (action: Action) => void;
}) => (
  <>
    {actions.map(({ action, word, title }) => (
      <button
        type="button"
        key={action}
        class="small quiet"
        aria-label={`${title}: ${about}`}
        onClick={() => onAsk(action)}
      >
        {word}
      </button>
    ))}
  </>
);

/** Asks for the inputs of an action. The audit log records the reason. */
export const ActionDialog = ({
  title,
  about,
  act,
  isDangerous = false,
  onClose,
  children,
}: {
  readonly title: string;
  readonly about: ComponentChildren;
  readonly act: ReturnType<typeof useAction<[Readonly<Record<string, string>>]>>;
  readonly isDangerous?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => (
  <Dialog title={title} onClose={onClose}>
    <p>{about}</p>
    <Form onSend={act.run}>
      {children}
      <TextInput
        label="Reason"
        name="reason"
        required
        maxLength={500}
        autoComplete="off"
        hint="The audit keeps it."
      />
      <Problem error={act.error} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button class={isDangerous ? 'danger' : 'primary'} disabled={act.running}>
          {title}
        </button>
      </div>
    </Form>
  </Dialog>
);

/** The action whose dialog is open. The list reloads when the action is done. */
export const useActions = <Opened,>() => {
  const [opened, open] = useState<Opened>();
  const [turn, setTurn] = useState(0);
  const close = (): void => open(undefined);
  const done = (): void => {
    close();
    setTurn(turn + 1);
  };
  return { opened, open, turn, close, done };
};
