import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Dialog, Problem, Select } from './ui.tsx';
import { useAction } from './use.ts';

const NOW = '0';
const OVERLAPS = [
  { value: '86400', text: '1 day' },
  { value: '3600', text: '1 hour' },
  { value: '604800', text: '7 days' },
  { value: NOW, text: 'not at all' },
];

/** Asks how long the old secret remains valid beside the new one, which `make` creates. */
export const NewSecret = ({
  title,
  label,
  atOnce,
  make,
  onClose,
  children,
}: {
  readonly title: string;
  readonly label: string;
  /** Further effects if the old secret ends at once. */
  readonly atOnce?: string;
  readonly make: (overlapSeconds: number) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => {
  const [overlap, setOverlap] = useState(OVERLAPS[0]!.value);
  const rotate = useAction(() => make(Number(overlap)));
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <Select label={label} choices={OVERLAPS} value={overlap} onChoose={setOverlap} />
      {overlap === NOW && atOnce !== undefined ? <p class="soft">{atOnce}</p> : null}
      <Problem error={rotate.error} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={rotate.running} onClick={() => void rotate.run()}>
          Make the secret
        </button>
      </div>
    </Dialog>
  );
};
