import { SampleVoucherRail, sampleVoucherId } from './sample-voucher.rail';

const CODE = `sample_voucher_${'a1'.repeat(12)}`;

describe('the rail sample-voucher', () => {
  const settings = { http: { publicUrl: 'https://lamppost.example' }, price: { chatFloor: 1_000n } };
  const rail = new SampleVoucherRail({} as never, settings as never);
  const request = (code?: string): never =>
    ({ headers: code === undefined ? {} : { 'x-sample-voucher': code } }) as never;

  it('claims the calls with its header', () => {
    expect([rail.claims(request(CODE)), rail.claims(request())]).toEqual([true, false]);
  });

  it('names a payer without its secret', async () => {
    const payer = await rail.payerOf(request(CODE));

    expect(payer).toMatchObject({ id: sampleVoucherId(CODE), ledgerAccount: `sample-voucher:${payer.id}` });
    expect(JSON.stringify(payer)).not.toContain(CODE);
  });

  it('refuses a header that has no valid code', () => {
    expect(() => rail.payerOf(request('not-a-code'))).toThrow('This is not a valid code');
  });
});
