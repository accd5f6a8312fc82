import { useState } from 'preact/hooks';

import { forgetAll, isRemembering, remember } from './remembered.ts';

/** A switch that lets the studio store its work in this browser, and a button that deletes all of it. */
export const RememberSwitch = ({
  disabled = false,
  onForget,
}: {
  readonly disabled?: boolean;
  readonly onForget: () => void;
}) => {
  const [on, setOn] = useState(isRemembering);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={on}
          onChange={({ currentTarget: { checked } }) => {
            remember(checked);
            setOn(checked);
          }}
        />
        <span>Keep the studio’s work in this browser</span>
      </label>
      <button
        type="button"
        disabled={disabled}
        onClick={() => {
          forgetAll();
          onForget();
        }}
      >
        Forget everything
      </button>
      <p class="hint">
        Only this browser keeps it, for your account alone. Without this box, a reload loses it.
      </p>
    </>
  );
};
