import { micro } from '#kernel/money';
import { PAGE_HEADERS, sandboxPage } from './sandbox-page';

const page = (more: object = {}): string =>
  sandboxPage({
    amount: micro(12_340_000n),
    state: 'pending',
    payUrl: '/checkout/sandbox/tu_1/pay',
    billingUrl: '/account/billing',
    ...more,
  });

describe('the checkout page of the sandbox', () => {
  it('says the amount and posts to its own pay address', () => {
    expect(page()).toContain('<button>Pay $12.34</button>');
    expect(page()).toContain('<form method="post" action="/checkout/sandbox/tu_1/pay">');
  });

  it.each(['paid', 'refused'] as const)('has no button once it is %s', (state) => {
    expect(page({ state })).not.toContain('<button');
    expect(page({ state })).toContain(`This checkout is ${state}.`);
  });

  it('writes nothing as HTML that it was given as text', () => {
    const nasty = '/"><script>alert(1)</script>&\'';

    expect(page({ payUrl: nasty, billingUrl: nasty })).not.toContain('<script');
    expect(page({ payUrl: nasty })).toContain(
      'action="/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;"',
    );
  });

  it('runs no script, by its own policy', () => {
    expect(page()).not.toMatch(/<script|javascript:|\son[a-z]+=|style="/i);
    expect(PAGE_HEADERS['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]{44}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });
});
