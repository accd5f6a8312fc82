import { useState } from 'preact/hooks';

import { Flag, refusalText } from './model-dialog.tsx';
import { type Model, isChanged } from './model-facts.ts';
import { adminCall } from './operator-token.ts';
import { PercentField, RateFields, priceIn } from './price-fields.tsx';
import type { Schemas } from '../parts/api.ts';
import { count } from '../parts/format.ts';
import { FormDialog, Select, TextInput } from '../parts/ui.tsx';

type Patch = Schemas['ModelPatchBody'];

const CHANGES: Readonly<Record<string, { readonly text: string; readonly body: Patch }>> = {
  on: { text: 'Sell them', body: { forSale: null } },
  off: { text: 'Stop selling them', body: { forSale: false } },
  percent: { text: 'Set a markup', body: {} },
  rates: { text: 'Set prices', body: {} },
  usual: { text: 'Set the usual markup', body: { markup: null, rates: null } },
  private: { text: 'Mark them as private', body: { private: true } },
  public: { text: 'Mark them as public', body: { private: false } },
  adults: { text: 'Sell them to adults only', body: { adultsOnly: true } },
  everyone: { text: 'Sell them to everyone', body: { adultsOnly: false } },
  undo: {
    text: 'Undo all changes, except on and off',
    body: { markup: null, rates: null, private: null, adultsOnly: null, routes: null, agree: null },
  },
};

/** Few models have prices of the other kinds. */
const SOME_KINDS = {
  inputUsdPerMtok: '',
  outputUsdPerMtok: '',
  cacheReadUsdPerMtok: '',
  cacheWriteUsdPerMtok: '',
};

/** The service changes so many models in one call. */
const AT_ONCE = 200;

/** Makes one change to many models. A refused one does not stop the others. */
export const ManyModelsDialog = ({
  models,
  onDone,
  onClose,
}: {
  readonly models: readonly Model[];
  readonly onDone: (changed: readonly Model[], done: string) => void;
  readonly onClose: () => void;
}) => {
  const [what, choose] = useState('');
  const [tried, setTried] = useState(0);
  const send = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    const { reason = '' } = fields;
    if (what === '') throw new Error('Choose a change.');
    const isPrice = what === 'percent' || what === 'rates';
    const price = isPrice ? priceIn(fields) : CHANGES[what]!.body;
    if (isPrice && price.markup === null) throw new Error('Give a price.');
    const body = { ...price, ...(reason === '' ? {} : { reason }) };
    const chosen = what === 'undo' ? models.filter(isChanged) : models;
    const refused = new Map<string, string>();
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      const ids = chosen.slice(at, at + AT_ONCE).map(({ id }) => id);
      const { problems } = await adminCall('patch', '/v1/admin/models', { body: { ...body, ids } });
      for (const { id, message } of problems) refused.set(id, refusalText(message));
      setTried(at + ids.length);
    }
    const changed = chosen.filter(({ id }) => !refused.has(id));
    const done = changed.length === 0 ? 'No model changed' : `${count(changed.length, 'model')} changed`;
    onDone(changed, `${done}.`);
    const [problem] = refused.values();
    if (problem !== undefined)
      throw new Error(
        `${done}. ${count(refused.size, 'model')} did not change. The first reason: ${problem}`,
      );
    onClose();
  };
  return (
    <FormDialog
      title={`Change ${count(models.length, 'model')}`}
      action={CHANGES[what]?.text ?? 'Change'}
      onSend={send}
      onClose={onClose}
    >
      <Select
        label="Change"
        choices={[
          { value: '', text: 'Choose a change' },
          ...Object.entries(CHANGES).map(([value, { text }]) => ({ value, text })),
        ]}
        value={what}
        onChoose={choose}
      />
      {what === 'percent' || what === 'rates' ? (
        <>
          {what === 'percent' ? <PercentField /> : <RateFields cost={SOME_KINDS} />}
          <Flag name="belowCost" label="Also below the cost" isOn={false} />
        </>
      ) : null}
      <TextInput label="Reason" name="reason" maxLength={300} autoComplete="off" hint="The audit keeps it." />
      {tried > 0 && tried < models.length ? (
        <p role="status">{`${tried} of ${models.length} are done.`}</p>
      ) : null}
    </FormDialog>
  );
};
