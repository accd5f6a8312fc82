import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Dialog, Form, Problem, TextInput } from './ui.tsx';
import type { useAction } from './use.ts';

/** A button for each deed that can be done to a line of a list. */
export const DeedButtons = <Deed extends string>({
  deeds,
  about,
  onAsk,
}: {
  /** What the button says, and what the deed is called in full. */
  readonly deeds: readonly { readonly deed: Deed; readonly word: string; readonly title: string }[];
  readonly about: string;
  readonly onAsk: (deed: Deed) => void;
}) => (
  <>
    {deeds.map(({ deed, word, title }) => (
      <button
        type="button"
        key={deed}
        class="small quiet"
        aria-label={`${title}: ${about}`}
        onClick={() => onAsk(deed)}
      >
        {word}
      </button>
    ))}
  </>
);

/** Asks for what a deed needs. It is done with its reason, which the audit keeps. */
export const DeedDialog = ({
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

/** Which deed is asked for; when it is done, the list is read again. */
export const useDeeds = <Asked,>() => {
  const [asked, ask] = useState<Asked>();
  const [turn, setTurn] = useState(0);
  const close = (): void => ask(undefined);
  const done = (): void => {
    close();
    setTurn(turn + 1);
  };
  return { asked, ask, turn, close, done };
};
