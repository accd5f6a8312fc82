import { Injectable } from '@nestjs/common';

import type { Documents } from '../platform/openapi/document';

/** The serialised documents. */
interface Texts {
  readonly agent: string;
  readonly crawlers: string;
  readonly account: string;
  readonly extensions: string;
  readonly hasExtensions: boolean;
  readonly paidResources: readonly string[];
}

/**
 * The serialised documents. They need all routes, so the service calls `publish` late. They are built at the first
 * request, because this takes a tenth of a start, and a worker gets no requests.
 */
@Injectable()
export class PublishedDocuments {
  private build: () => Documents = () => {
    throw new Error('No document is published yet.');
  };
  private texts?: Texts;

  publish(build: () => Documents): void {
    this.build = build;
  }

  get agent(): string {
    return this.built().agent;
  }

  /** The selection for crawlers. */
  get crawlers(): string {
    return this.built().crawlers;
  }

  get account(): string {
    return this.built().account;
  }

  get extensions(): string {
    return this.built().extensions;
  }

  /** Whether other modules have added routes. */
  get hasExtensions(): boolean {
    return this.built().hasExtensions;
  }

  /** The addresses of paid routes. */
  get paidResources(): readonly string[] {
    return this.built().paidResources;
  }

  private built(): Texts {
    return (this.texts ??= asTexts(this.build()));
  }
}

const asTexts = ({ agent, crawlers, account, extensions }: Documents): Texts => {
  const base = agent.servers?.[0]?.url ?? '';
  return {
    agent: JSON.stringify(agent),
    crawlers: JSON.stringify(crawlers),
    account: JSON.stringify(account),
    extensions: JSON.stringify(extensions),
    hasExtensions: Object.keys(extensions.paths).length > 0,
    paidResources: Object.entries({ ...agent.paths, ...extensions.paths }).flatMap(([path, item]) =>
      Object.values(item as object).some((operation: object) => 'x-payment-info' in operation)
        ? [`${base}${path}`]
        : [],
    ),
  };
};
