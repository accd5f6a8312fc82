import { receiptOf } from '../parts/api.ts';
import { money, time } from '../parts/format.ts';
import { Code, Dialog, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

/** The signed receipt of a charge, to read or to save. */
export const Receipt = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const { data, error } = useLoaded((signal) => receiptOf(id, signal), [id]);
  const file = data === undefined ? '' : JSON.stringify(data, null, 2);
  return (
    <Dialog title="Receipt" onClose={onClose}>
      <Problem error={error} />
      {data === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <dl class="facts">
            {(
              [
                ['Amount', money(data.priceMicro)],
                ['State', data.state],
                ['Model', data.modelId ?? 'none'],
                ['Paid by', data.rail],
                ['Made', time(data.createdAt)],
                ['Settled', data.settledAt === undefined ? 'not yet' : time(data.settledAt)],
                ...(data.refundedAt === undefined ? [] : [['Refunded', time(data.refundedAt)] as const]),
              ] as const
            ).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
          <p class="soft fine">
            Signed by this service; its keys are at <a href=".well-known/jwks.json">jwks.json</a>.
          </p>
          <Code text={file} what="the receipt" />
        </>
      )}
      <div class="actions">
        <button type="button" onClick={() => print()}>
          Print
        </button>
        <a
          class="button"
          download={`${id}.json`}
          href={`data:application/json;charset=utf-8,${encodeURIComponent(file)}`}
        >
          Download
        </a>
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
};
