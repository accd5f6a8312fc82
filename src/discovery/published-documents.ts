import { Injectable } from '@nestjs/common';

import type { Documents } from '../platform/openapi/document';

/** The documents as they are sent. They can be built only once all routes exist, hence the late `publish`. */
@Injectable()
export class PublishedDocuments {
  agent = '{}';
  account = '{}';
  /** The addresses that are paid for per call. */
  paidResources: readonly string[] = [];

  publish(documents: Documents): void {
    this.agent = JSON.stringify(documents.agent);
    this.account = JSON.stringify(documents.account);
    const base = documents.agent.servers?.[0]?.url ?? '';
    this.paidResources = Object.entries(documents.agent.paths).flatMap(([path, item]) =>
      Object.values(item as object).some((operation: object) => 'x-payment-info' in operation)
        ? [`${base}${path}`]
        : [],
    );
  }
}
