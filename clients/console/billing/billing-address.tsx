import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { useMay } from '../parts/allowed.tsx';
import { paramOf } from '../account/proof.tsx';
import { Dialog, Field, Form, Loading, Problem, TextInput } from '../parts/ui.tsx';
import { useAction, useLoaded } from '../parts/use.ts';

export type Address = Schemas['BillingAddressBody'];

const PATH = '/v1/account/billing/address';

const Change = ({
  address,
  onDone,
  onClose,
}: {
  readonly address: Address | undefined;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const save = useAction(async (fields: Readonly<Record<string, string>>) => {
    const { name = '', lines = '', country = '', taxId = '' } = fields;
    const body = {
      name,
      lines: lines.replaceAll('\r', ''),
      country: country.trim().toUpperCase(),
      ...(taxId.trim() === '' ? {} : { taxId: taxId.trim() }),
    };
    await call('put', PATH, { body });
    onDone();
  });
  const remove = useAction(async () => {
    await call('delete', PATH);
    onDone();
  });
  const wrong = (name: string) => (paramOf(save.error) === name ? save.error?.message : undefined);
  return (
    <Dialog title="Billing address" onClose={onClose}>
      <Form onSend={save.run}>
        <TextInput
          label="Name"
          name="name"
          required
          maxLength={200}
          autoComplete="organization"
          defaultValue={address?.name}
          hint="A person or a company."
          error={wrong('name')}
        />
        <Field label="Address" hint="Street, postcode and city." error={wrong('lines')}>
          {(ids) => (
            <textarea
              {...ids}
              name="lines"
              rows={3}
              required
              maxLength={500}
              autoComplete="street-address"
              defaultValue={address?.lines}
            />
          )}
        </Field>
        <TextInput
          label="Country"
          name="country"
          required
          maxLength={2}
          autoComplete="country"
          defaultValue={address?.country}
          hint="Two letters, such as GB."
          error={wrong('country')}
        />
        <TextInput
          label="Tax id"
          name="taxId"
          maxLength={50}
          autoComplete="off"
          defaultValue={address?.taxId}
          hint="A VAT number, if there is one."
          error={wrong('taxId')}
        />
        <Problem error={paramOf(save.error) === undefined ? (save.error ?? remove.error) : remove.error} />
        <div class="actions">
          {address === undefined ? null : (
            <button type="button" class="danger" disabled={remove.running} onClick={() => void remove.run()}>
              Remove it
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="primary" disabled={save.running}>
            Save the address
          </button>
        </div>
      </Form>
    </Dialog>
  );
};

export const AddressLines = ({ address: { name, lines, country, taxId } }: { readonly address: Address }) => (
  <address>
    {[name, ...lines.split('\n'), country, ...(taxId === undefined ? [] : [`Tax id ${taxId}`])].map(
      (line, at) => (
        <span key={at}>{line}</span>
      ),
    )}
  </address>
);

/** The buyer on later invoices. */
export const BillingAddress = () => {
  const { data, error, reload } = useLoaded((signal) => call('get', PATH, { signal }), []);
  const canChange = useMay('PUT /v1/account/billing/address');
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card stack" aria-labelledby="billing-address">
      <div class="row apart">
        <h2 id="billing-address">Billing address</h2>
        {canChange === true && data !== undefined ? (
          <button type="button" class="small" onClick={() => setOpen(true)}>
            {data.address === undefined ? 'Set the address' : 'Change the address'}
          </button>
        ) : null}
      </div>
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading rows={2} />
      ) : data.address === undefined ? (
        <p class="soft">None yet. Set it before you pay: an invoice shows the address of that moment.</p>
      ) : (
        <AddressLines address={data.address} />
      )}
      {isOpen && data !== undefined ? (
        <Change
          address={data.address}
          onDone={() => {
            setOpen(false);
            reload();
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </section>
  );
};
