import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

/** A drop target. There must always be a button for the same action, for people without a mouse. */
export const DropZone = ({
  label,
  onDrop,
  children,
}: {
  readonly label: string;
  readonly onDrop: (dropped: DataTransfer) => void;
  readonly children: ComponentChildren;
}) => {
  const [over, setOver] = useState(false);
  return (
    <div
      class={over ? 'drop over' : 'drop'}
      role="group"
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null) onDrop(event.dataTransfer);
      }}
    >
      {children}
    </div>
  );
};
