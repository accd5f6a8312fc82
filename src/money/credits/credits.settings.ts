import { Choice, Rotating, Text, Url } from '#platform/config/variables';
import { type SettingsOf, defineSettings, needs } from '#platform/config/settings';
import type { ProcessorName } from './payment-processor';

class CreditsVariables {
  @Choice('none', 'sandbox', 'stripe') readonly BILLING_PROCESSOR: string = 'sandbox';
  @Rotating('billing.stripe.secretKey') @Text() readonly STRIPE_SECRET_KEY?: string;
  @Rotating('billing.stripe.webhookSecret') @Text() readonly STRIPE_WEBHOOK_SECRET?: string;
  @Url() readonly STRIPE_API_URL?: string;

  @Text(200) readonly SELLER_NAME?: string;
  @Text(500) readonly SELLER_ADDRESS?: string;
  @Text(50) readonly SELLER_TAX_ID?: string;
}

export const creditsSettings = defineSettings({
  variables: CreditsVariables,
  problems: (env: CreditsVariables) =>
    needs(
      env,
      env.BILLING_PROCESSOR === 'stripe',
      'with BILLING_PROCESSOR=stripe',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
    ),
  freeOfMoney: (env: CreditsVariables) =>
    env.BILLING_PROCESSOR === 'sandbox' ? ['BILLING_PROCESSOR=sandbox'] : [],
  read: (env: CreditsVariables) => ({
    billing: {
      processor: env.BILLING_PROCESSOR as 'none' | ProcessorName,
      stripe: {
        secretKey: env.STRIPE_SECRET_KEY,
        webhookSecret: env.STRIPE_WEBHOOK_SECRET,
        apiUrl: env.STRIPE_API_URL,
      },
      /** The operator on invoices. */
      seller: {
        name: env.SELLER_NAME,
        address: env.SELLER_ADDRESS?.split(';')
          .map((line) => line.trim())
          .join('\n'),
        taxId: env.SELLER_TAX_ID,
      },
    },
  }),
});

export type CreditsSettings = SettingsOf<typeof creditsSettings>;
