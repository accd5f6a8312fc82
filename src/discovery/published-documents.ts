import { Injectable } from '@nestjs/common';

import type { Documents } from '../platform/openapi/document';

/** The documents as they are sent. They can be built only once all routes exist, hence the late `publish`. */
@Injectable()
export class PublishedDocuments {
  agent = '{}';
  account = '{}';

  publish(documents: Documents): void {
    this.agent = JSON.stringify(documents.agent);
    this.account = JSON.stringify(documents.account);
  }
}
