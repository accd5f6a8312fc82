import { AppError } from '#kernel/app-error';
import type { ProvidersMetrics } from '../providers.metrics';
import { AnswerLost, ProviderUnavailable } from '../providers.errors';

/**
 * The answer of one provider, counted and timed. After an unknown error the provider may have done the work, so the
 * answer counts as lost.
 */
export const answerOf = async <Provider extends { readonly name: string }, T>(
  provider: Provider | undefined,
  metrics: ProvidersMetrics,
  operation: string,
  work: (provider: Provider) => Promise<T>,
  options?: Parameters<ProvidersMetrics['counted']>[3],
): Promise<T> => {
  if (provider === undefined) throw new ProviderUnavailable();
  try {
    return await metrics.counted(provider.name, operation, () => work(provider), options);
  } catch (error) {
    throw error instanceof AppError ? error : new AnswerLost(error);
  }
};
