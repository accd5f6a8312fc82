import { Readable } from 'node:stream';

import { type MediaMode, kindOf } from '#models/providers/media-mode';
import type {
  MediaInput,
  MediaProvider,
  MediaRequest,
  OperationStatus,
} from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import {
  NotServed,
  ProviderFailed,
  ProviderUnavailable,
  SubmissionInDoubt,
} from '#models/providers/providers.errors';
import type { Serves } from '#models/providers/vendor';
import { VENDORS } from '#models/providers/vendors';
import { type ProviderFaultName, VENDOR_WORDS } from '../support/fake-provider';
import type { World } from '../support/world';
import { type FakeMediaVendor, mediaVendorOf } from './media-vendors';

const soon = (ms = 10_000): AbortSignal => AbortSignal.timeout(ms);

const inputOf = (kind: 'image' | 'video'): MediaInput => ({
  kind,
  mime: kind === 'image' ? 'image/png' : 'video/mp4',
  bytes: 64,
  open: () => Promise.resolve(Readable.from([Buffer.alloc(64, 'p')])),
});

const INPUTS: Readonly<Record<MediaMode, Partial<MediaRequest>>> = {
  t2i: {},
  t2v: {},
  i2i: { image: inputOf('image') },
  i2v: { image: inputOf('image') },
  swap: { image: inputOf('image'), image2: inputOf('image') },
  motion: { image: inputOf('image'), video: inputOf('video') },
};

/** The sizes that a catalog may sell. A result of the other modes has the size of its source. */
const RATIOS = ['16:9', '9:16', '1:1', '4:3', '3:2', '21:9'];
const TIERS: Partial<Readonly<Record<MediaMode, readonly string[]>>> = {
  t2i: ['1K', '2K', '4K', '720p', '1080p'],
  t2v: ['480p', '720p', '1080p', '4K'],
  i2v: ['480p', '720p', '1080p', '4K'],
};
const PIXELS = ['1024x1024', '1536x1024', '1024x1536'];

/** States that a vendor may introduce, and answers that are none. */
const UNKNOWN: readonly unknown[] = ['a-word-of-next-year', 'EXPIRED?', '', 7, {}, [], null, undefined];
const NO_ANSWERS: readonly unknown[] = [{}, [], null, 'gone', 7, { error: null }];

/** Every real vendor of media, found without a list of names. */
export const mediaVendors = (): string[] =>
  VENDORS.flatMap((each) =>
    'one' in each || each.enabledBy === undefined || each.serves.modes.length === 0 ? [] : [each.name],
  );

/** The promises of every vendor of media: to the money of callers, and to the operator's. */
export const holdMediaVendorToContract = (
  name: string,
  world: () => World,
  fakeOf: (name: string) => FakeMediaVendor,
): void => {
  const vendor = mediaVendorOf(name);
  const { serves } = VENDORS.find((each) => each.name === name) as { readonly serves: Serves };
  const { models, atOnce = {} } = vendor;
  const usual = serves.modes.find((mode) => atOnce[mode] === undefined) ?? serves.modes[0]!;
  let fake: FakeMediaVendor;
  let provider: MediaProvider;
  let submissions = 0;

  const requestOf = (mode: MediaMode, more: Partial<MediaRequest> = {}): MediaRequest => ({
    model: models[mode] ?? '',
    mode,
    prompt: 'waves',
    ...INPUTS[mode],
    ...(kindOf(mode) === 'video'
      ? { seconds: vendor.seconds[0]!, resolution: '720p', aspectRatio: '16:9' }
      : {}),
    audio: false,
    ourId: `job_${name}_${(submissions += 1)}`,
    ...more,
  });
  const submit = (mode = usual, more: Partial<MediaRequest> = {}, signal = soon()) =>
    provider.submit(requestOf(mode, more), signal);
  const poll = (ref: string, signal = soon()): Promise<OperationStatus> =>
    provider.status(ref, models[usual] ?? '', signal);
  /** The outcome of the work, after as many polls as a fake needs. */
  const ended = async (ref: string): Promise<OperationStatus> => {
    let status = await poll(ref);
    for (let polls = 0; status.state === 'running' && polls < 3; polls += 1) status = await poll(ref);
    return status;
  };
  const operationOf = (mode: MediaMode): string => atOnce[mode] ?? 'submit';
  const thrown = (error: unknown): unknown => error;

  beforeAll(() => {
    fake = fakeOf(name);
    provider = world().app.get(Providers, { strict: false }).media(name)!;
  });
  beforeEach(() => vendor.says(fake, 'begun'));
  afterEach(() => fake.forgiveAll());

  it('names a model of each mode that it serves', () => {
    expect(Object.keys(models).toSorted()).toEqual([...serves.modes].toSorted());
  });

  describe.each(serves.modes)('a submission of the mode %s', (mode) => {
    it.each<[ProviderFaultName, new () => Error, number]>([
      [400, ProviderFailed, 0],
      [422, ProviderFailed, 0],
      [401, ProviderUnavailable, 0],
      [429, ProviderUnavailable, 0],
      [500, SubmissionInDoubt, 0],
      [503, SubmissionInDoubt, 0],
      ['reset', SubmissionInDoubt, 0],
      ['hang', SubmissionInDoubt, 0],
      ['garbage', SubmissionInDoubt, 1],
      ['drop reply', SubmissionInDoubt, 1],
      [{ alters: () => ({}) }, SubmissionInDoubt, 1],
      [{ alters: () => null }, SubmissionInDoubt, 1],
      [{ lateMs: 2_000 }, SubmissionInDoubt, 1],
    ])('that ends in %j says what is known, and quotes nobody', async (fault, type, taken) => {
      const isSlow = fault === 'hang' || (typeof fault === 'object' && 'lateMs' in fault);
      // A vendor that answers with its results may be waited for in the background.
      if (isSlow && atOnce[mode] !== undefined) return;
      const before = fake.taken(operationOf(mode));
      fake.failNext(operationOf(mode), fault);
      const request = requestOf(mode);

      const error = await provider.submit(request, soon(isSlow ? 300 : 10_000)).catch(thrown);

      expect((error as Error | null)?.constructor).toBe(type);
      expect(fake.taken(operationOf(mode)) - before).toBe(taken);
      const said = (error as Error).message;
      expect([said.includes(VENDOR_WORDS), said.includes(fake.key)]).toEqual([false, false]);
      if (type !== SubmissionInDoubt) return;
      // The vendor may have the work, so no look-up may say that it has none.
      const found = await provider.lookup(request.ourId, request.model, soon());
      if (taken === 1) expect(found.found).not.toBe('nothing');
    });

    it('asks for what was sold: each size is asked for as such, or refused', async () => {
      const sizes = RATIOS.flatMap((aspectRatio) =>
        (TIERS[mode] ?? []).map((resolution) => ({ aspectRatio, resolution })),
      );
      const named = mode === 't2i' ? PIXELS.map((imageSize) => ({ imageSize })) : [];
      for (const group of [sizes, named]) {
        const asked = new Map<string, object>();
        for (const size of group) {
          const seen = fake.seen.length;
          const error = await submit(mode, size).then(() => undefined, thrown);
          const sent = fake.seen.slice(seen).filter(({ method }) => method === 'POST');
          if (error !== undefined) {
            expect([size, (error as Error).constructor, sent.length]).toEqual([size, NotServed, 0]);
            continue;
          }
          expect([size, serves.makes?.(mode, size, models[mode] ?? '') ?? true]).toEqual([size, true]);
          // A form has a boundary of its own.
          const request =
            `${sent[0]!.path} ${sent[0]!.body.toString('latin1').replaceAll(/-{4,}[\w-]+/g, '')}`.replaceAll(
              /job_\w+/g,
              '',
            );
          expect([size, asked.get(request)]).toEqual([size, undefined]);
          asked.set(request, size);
        }
      }
    });

    // A film that a clip drives has the length and the sound of its clip.
    if (kindOf(mode) === 'video' && mode !== 'motion' && vendor.alwaysSounds !== true) {
      it('asks for sound if it was sold, or refuses it', async () => {
        const sentWith = async (audio: boolean): Promise<string> => {
          const seen = fake.seen.length;
          const error = await submit(mode, { audio }).then(() => undefined, thrown);
          const sent = fake.seen.slice(seen).filter(({ method }) => method === 'POST');
          if (error !== undefined)
            expect([(error as Error).constructor, sent.length]).toEqual([NotServed, 0]);
          return sent[0]?.body.toString('latin1').replaceAll(/-{4,}[\w-]+|job_\w+/g, '') ?? 'refused';
        };

        expect(await sentWith(true)).not.toBe(await sentWith(false));
      });
    }

    if (kindOf(mode) === 'video' && mode !== 'motion') {
      it.each(vendor.seconds)('asks for %i seconds, as sold', async (seconds) => {
        const seen = fake.seen.length;
        await submit(mode, { seconds });
        const [sent] = fake.seen.slice(seen).filter(({ method }) => method === 'POST');
        const body = sent!.body.toString('latin1').replaceAll(/job_\w+|base64,[\w+/=]+|"data":"[^"]+"/g, '');

        expect(body).toMatch(new RegExp(`(?:[":\\s]|\\n)${seconds}s?["\\s,}]`));
      });
    }
  });

  it('takes work, and reports its end with an address or the bytes', async () => {
    const before = fake.taken(operationOf(usual));
    const { providerRef } = await submit();
    expect((await poll(providerRef)).state).toBe('running');
    expect(fake.taken(operationOf(usual)) - before).toBe(1);
    vendor.says(fake, 'done');

    const other = await submit();

    expect(await ended(other.providerRef)).toMatchObject({
      state: 'done',
      result: { url: expect.stringContaining(fake.origin) },
    });
  });

  it('reports each of several results', async () => {
    const mode = serves.modes.find((each) => serves.takes?.(each, models[each] ?? '').includes('n') === true);
    if (mode === undefined || vendor.makesOne === true) return;
    vendor.says(fake, 'done');

    const { providerRef } = await submit(mode, { n: 3 });

    const status = await ended(providerRef);
    expect(status).toMatchObject({ state: 'done', further: [expect.anything(), expect.anything()] });
  });

  it('fails work only when the vendor says that it failed', async () => {
    vendor.says(fake, 'failed');
    const { providerRef } = await submit();

    expect(await ended(providerRef)).toMatchObject({ state: 'failed' });
  });

  it.each(UNKNOWN)('takes the state %j, which it does not know, for no end', async (word) => {
    const { providerRef } = await submit();
    fake.failNext('status', { alters: (json) => ({ ...(json as object), [vendor.state]: word }) });

    const status = await poll(providerRef).catch(thrown);

    if (status instanceof Error) expect(status).toBeInstanceOf(ProviderUnavailable);
    else expect(status).toMatchObject({ state: 'running' });
    expect((await poll(providerRef)).state).toBe('running');
  });

  it.each(NO_ANSWERS)('takes the answer %j to a poll for no end', async (json) => {
    const { providerRef } = await submit();
    fake.failNext('status', { alters: () => json });

    const status = await poll(providerRef).catch(thrown);

    if (status instanceof Error) expect(status).toBeInstanceOf(ProviderUnavailable);
    else expect(status).toMatchObject({ state: 'running' });
  });

  it.each<[ProviderFaultName]>([[500], [429], [404], ['hang'], ['reset'], ['garbage']])(
    'learns nothing of the work from a poll that ends in %j',
    async (fault) => {
      const { providerRef } = await submit();
      fake.failNext('status', fault);

      await expect(poll(providerRef, soon(fault === 'hang' ? 300 : 10_000))).rejects.toBeInstanceOf(
        ProviderUnavailable,
      );
      expect(await poll(providerRef)).toMatchObject({ state: 'running' });
    },
  );

  it.each<[ProviderFaultName]>([[500], [404], ['reset'], ['garbage']])(
    'does not say that a submission never came after a look-up that ends in %j',
    async (fault) => {
      fake.failNext('status', fault);

      const found = await provider.lookup('job_unknown', models[usual] ?? '', soon()).catch(thrown);

      if (found instanceof Error) expect(found).toBeInstanceOf(ProviderUnavailable);
      else expect(found).toEqual({ found: 'unknown' });
    },
  );

  it('stops work that nobody needs any more, if its vendor can', async () => {
    const { providerRef } = await submit();
    const before = fake.taken('cancel');

    await provider.stop(providerRef, models[usual] ?? '', soon());

    expect(fake.taken('cancel') - before).toBe(vendor.stops === true ? 1 : 0);
  });

  it('reports the bill of its vendor, and no other', async () => {
    const { bill } = vendor;
    vendor.says(fake, 'done');
    const costOf = async (): Promise<unknown> => {
      const status = await ended((await submit()).providerRef);
      expect(status.state).toBe('done');
      return (status as { readonly cost?: bigint }).cost;
    };

    expect(await costOf()).toBe(bill?.micro);
    if (bill === undefined) return;
    for (const odd of [-1, '-1', 'many', '1e9', null, {}, [], '']) {
      fake.failNext(
        bill.operation,
        ...Array.from({ length: 3 }, () => ({
          alters: (json: unknown) => ({ ...(json as object), [bill.field]: odd }),
        })),
      );
      expect([odd, await costOf()]).toEqual([odd, undefined]);
      fake.forgiveAll();
    }
  });

  const cancel = (ref: string, signal = soon()) => provider.cancel!(ref, models[usual] ?? '', signal);

  /** Only a vendor whose adapter can cancel promises this. The adapter exists when the tests run. */
  const ifItCancels = (test: () => Promise<void>) => async (): Promise<void> => {
    if (provider.cancel !== undefined) await test();
  };

  it(
    'cancels what waits, says so again, and reports it as failed',
    ifItCancels(async () => {
      vendor.says(fake, 'waiting');
      const { providerRef } = await submit();

      expect([await cancel(providerRef), await cancel(providerRef)]).toEqual([
        'stopped-unbilled',
        'stopped-unbilled',
      ]);
      expect(await poll(providerRef)).toMatchObject({ state: 'failed' });
    }),
  );

  it(
    'refunds no work that has begun, because its vendor may bill it',
    ifItCancels(async () => {
      const { providerRef } = await submit();
      const before = fake.taken('cancel');

      expect(await cancel(providerRef)).toBe('billed');
      expect(fake.taken('cancel')).toBe(before);
      vendor.says(fake, 'done');
      expect(await cancel((await submit()).providerRef)).toBe('billed');
    }),
  );

  it(
    'asks what has become of work when the answer to a cancellation was lost',
    ifItCancels(async () => {
      for (const fault of ['drop reply', 'garbage', { lateMs: 0, status: 500 }] as const) {
        vendor.says(fake, 'waiting');
        const { providerRef } = await submit();
        fake.failNext('cancel', fault);
        expect([fault, await cancel(providerRef)]).toEqual([fault, 'stopped-unbilled']);
      }
      const { providerRef } = await submit();
      fake.failNext('cancel', 500);
      expect(await cancel(providerRef)).toBe('unknown');
    }),
  );
};
