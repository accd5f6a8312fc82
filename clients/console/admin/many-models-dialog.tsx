import { useState } from 'preact/hooks';

import { Flag, changeModel, markupOf } from './model-dialog.tsx';
import type { Model } from './model-facts.ts';
import type { Schemas } from '../parts/api.ts';
import { count } from '../parts/format.ts';
import { FormDialog, Select, TextInput } from '../parts/ui.tsx';

type Patch = Schemas['ModelPatchBody'];

const CHANGES: Readonly<Record<string, { readonly text: string; readonly body: Patch }>> = {
  on: { text: 'Sell them', body: { forSale: null } },
  off: { text: 'Stop selling them', body: { forSale: false } },
  percent: { text: 'Set a markup', body: {} },
  usual: { text: 'Set the usual markup', body: { markup: null, rates: null } },
  private: { text: 'Mark them as private', body: { private: true } },
  public: { text: 'Mark them as public', body: { private: false } },
  adults: { text: 'Sell them to adults only', body: { adultsOnly: true } },
  everyone: { text: 'Sell them to everyone', body: { adultsOnly: false } },
  undo: {
    text: 'Undo all changes, except on and off',
    body: { markup: null, rates: null, private: null, adultsOnly: null, routes: null },
  },
};

/** Makes one change to many models, one after the other. A refused one does not stop the others. */
export const ManyModelsDialog = ({
  models,
  onDone,
  onClose,
}: {
  readonly models: readonly Model[];
  readonly onDone: (changed: readonly Model[]) => void;
  readonly onClose: () => void;
}) => {
  const [what, choose] = useState('off');
  const send = async ({
    percent = '',
    belowCost,
    reason = '',
  }: Readonly<Record<string, string>>): Promise<void> => {
    const body = {
      ...(what === 'percent'
        ? { markup: markupOf(percent), belowCost: belowCost === 'on' }
        : CHANGES[what]!.body),
      ...(reason === '' ? {} : { reason }),
    };
    const changed: Model[] = [];
    const problems: string[] = [];
    for (const model of models) {
      try {
        await changeModel(model.id, body);
        changed.push(model);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    onDone(changed);
    if (problems.length > 0)
      throw new Error(`${count(problems.length, 'model')} did not change. The first reason: ${problems[0]}`);
    onClose();
  };
  return (
    <FormDialog
      title={`Change ${count(models.length, 'model')}`}
      action="Change"
      onSend={send}
      onClose={onClose}
    >
      <Select
        label="Change"
        choices={Object.entries(CHANGES).map(([value, { text }]) => ({ value, text }))}
        value={what}
        onChoose={choose}
      />
      {what === 'percent' ? (
        <>
          <TextInput label="Markup in percent of the cost" name="percent" inputMode="decimal" required />
          <Flag name="belowCost" label="Also below the cost" isOn={false} />
        </>
      ) : null}
      <TextInput label="Reason" name="reason" maxLength={300} autoComplete="off" hint="The audit keeps it." />
    </FormDialog>
  );
};
