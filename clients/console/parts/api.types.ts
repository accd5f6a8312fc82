// Written by npm run openapi from the documents in docs/openapi.

export interface paths {
    "/transparency/anchors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAnchors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transparency/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transparency/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAlerts"];
        put: operations["setAlerts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/charges/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getCharge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["generate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/guide.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getGuide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/images/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["imagesGenerations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["streamJobEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listDelegatedKeys"];
        put?: never;
        post: operations["createDelegatedKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteDelegatedKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/manifest.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/provenance/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["verifyProvenance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/provenance/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getProvenance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["quote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/references": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listReferences"];
        put?: never;
        post: operations["storeReference"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/references/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["searchReferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/references/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteReference"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwnRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/videos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/videos/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getVideo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/videos/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getVideoContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhooks"];
        put?: never;
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/agent/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/webhooks/{id}/deliveries/{eventId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/x402/balance/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["walletBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/x402/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["refundChannel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/x402/channels/{channelId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["channel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/x402/top-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["topUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent/x402/transactions/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["walletTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/speech": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createSpeech"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audio/transcriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createTranscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBatches"];
        put?: never;
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/batches/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancelBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["chatCompletions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listFiles"];
        put?: never;
        post: operations["createFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getFile"];
        put?: never;
        post?: never;
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getFileContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["messages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/messages/count_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["countMessageTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listModelsOpenai"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{call}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getModelOpenai"];
        put?: never;
        post: operations["generateContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}/countTokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["countContentTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["responses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/responses/input_tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["countResponseTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listContentModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1beta/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getContentModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/address-proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["proveAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/address-proof/mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["mailAddressProof"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAccountAlerts"];
        put: operations["setAccountAlerts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBillingAddress"];
        put: operations["setBillingAddress"];
        post?: never;
        delete: operations["removeBillingAddress"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/auto-top-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAutoTopUp"];
        put: operations["setAutoTopUp"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/auto-top-up/card": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["saveCard"];
        delete: operations["removeCard"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/top-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["topUpCredits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/top-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTopUps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/top-ups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTopUp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/billing/transactions.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["previewAccountClosing"];
        put?: never;
        post: operations["closeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/invites/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getInvite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/invites/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["acceptInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["accountListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listKeys"];
        put?: never;
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["deleteKey"];
        options?: never;
        head?: never;
        patch: operations["changeKey"];
        trace?: never;
    };
    "/v1/account/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOrganisations"];
        put?: never;
        post: operations["createOrganisation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["renameOrganisation"];
        trace?: never;
    };
    "/v1/account/organisations/{org}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/audit.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["previewOrganisationClosing"];
        put?: never;
        post: operations["closeOrganisation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listInvites"];
        put?: never;
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/invites/{invite}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["withdrawInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/organisations/{org}/members/{member}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        patch: operations["changeMember"];
        trace?: never;
    };
    "/v1/account/organisations/{org}/members/{member}/budget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["setMemberBudget"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/passkeys/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["removePasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/requests.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["exportRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/requests/histogram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["countRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["beginSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/second-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["confirmSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/second-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/second-factor/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["removeSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getSecurity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["passkeySignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sign-in/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["beginPasskeySignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/webhooks/{id}/tries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listWebhookTries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{id}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminBan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{id}/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminCredit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{id}/reset-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminResetLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/accounts/{id}/unban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminUnban"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/charges": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListCharges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/drift": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminDrift"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/margins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminMargins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["adminChangeModels"];
        trace?: never;
    };
    "/v1/admin/models/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminExportModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/models/lists/{vendor}/agree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminAgreeToList"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["adminChangeModel"];
        trace?: never;
    };
    "/v1/admin/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/payments/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminClosePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/payments/{id}/credit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminCreditPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListRoutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/switches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["adminListSwitches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/switches/{kind}/{name}/off": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminSwitchOff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/switches/{kind}/{name}/on": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminSwitchOn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/webhooks/{id}/deliveries/{eventId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["adminRetryWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AlertAnswer: {
            /** @enum {string} */
            type: "balance.low" | "top_up.failed" | "spend.high" | "key.limit_near" | "key.expiring";
            /** Format: date-time */
            since: string;
            /** @description The data of its event. */
            data: Record<string, never>;
        };
        AlertsAnswer: {
            /** @description Warn when the balance is below this. 0 is never. */
            balanceLowMicro: number;
            /** @description Warn when this much was spent on a day of UTC. Absent is never. */
            spendDayMicro?: number;
            /** @description Warn when a key has spent so many percent of its limit. */
            keyPercent: number[];
            /** @description Active alerts, newest first. */
            standing: components["schemas"]["AlertAnswer"][];
        };
        AlertsBody: {
            /** @description Warn when the balance is below this. 0 is never. Without it, 1000000. */
            balanceLowMicro?: number;
            /** @description Warn when this much was spent on a day of UTC. Absent is never. */
            spendDayMicro?: number;
            /** @description Warn when a key has spent so many percent of its limit. Without it, 80 and 100. */
            keyPercent?: number[];
        };
        AttemptAnswer: {
            /**
             * @description `unserved`: the route lacks a wanted feature. `unavailable`: the next route was tried. `failed`: the call ended.
             * @enum {string}
             */
            outcome: "accepted" | "unserved" | "unavailable" | "failed";
            ms: number;
        };
        AudioModelAnswer: {
            /** @description Further ids of the model. */
            aliases?: string[];
            /** @description Only callers whom the operator allows may use it. */
            adultsOnly?: boolean;
            /** @description The day (UTC) from which the model is no longer sold. */
            retiresOn?: string;
            /** @description The model to use instead of a retired one. */
            replacedBy?: string;
            /** @description Use it as `model`. */
            id: string;
            name: string;
            /**
             * @description `speech` reads a text out, `transcription` writes a recording down.
             * @enum {string}
             */
            kind: "speech" | "transcription";
            /** @description The default of its kind. */
            default?: boolean;
            /** @description Of speech. */
            voices?: string[];
            /** @description Of speech: the values of `response_format`. */
            formats?: string[];
            pricing: components["schemas"]["AudioPrices"];
        };
        AudioPrices: {
            /**
             * @description What the price is for.
             * @enum {string}
             */
            unit: "million_characters" | "hour";
            /** @description Retail micro-USD of the unit. A call costs its share; a second that has begun counts whole. */
            priceMicro: number;
            /** @description The least price of a call. */
            leastMicro: number;
        };
        BatchAnswer: {
            id: string;
            /** @enum {string} */
            object: "batch";
            /** @enum {string} */
            endpoint: "/v1/chat/completions" | "/v1/responses" | "/v1/messages";
            errors: null;
            input_file_id: string;
            /** @enum {string} */
            completion_window: "24h";
            /** @enum {string} */
            status: "validating" | "failed" | "in_progress" | "completed" | "expired" | "cancelling" | "cancelled";
            /** @description The answers of the calls that succeeded, when the batch has ended. */
            output_file_id: string | null;
            /** @description The errors of the calls that failed, when the batch has ended. */
            error_file_id: string | null;
            created_at: number;
            in_progress_at: number | null;
            expires_at: number;
            finalizing_at: number | null;
            completed_at: number | null;
            failed_at: number | null;
            expired_at: number | null;
            cancelling_at: number | null;
            cancelled_at: number | null;
            request_counts: components["schemas"]["BatchCountsAnswer"];
            metadata: Record<string, never> | null;
            /** @description The most that all calls can cost, in micro-USD. It is reserved until the end. */
            heldMicro: number;
            /** @description The discount on each call. */
            discountPercent: number;
            /** @description The delegated key that pays the calls: the request log and usage name it. */
            payingKeyId: string;
        };
        BatchBody: {
            /** @description The id of your file, which has the purpose `batch`. */
            input_file_id: string;
            /**
             * @description The route of all calls.
             * @enum {string}
             */
            endpoint: "/v1/chat/completions" | "/v1/responses" | "/v1/messages";
            /**
             * @description Calls that have not begun after a day expire, and cost nothing.
             * @enum {string}
             */
            completion_window: "24h";
            /** @description Up to 16 short texts for your own use. */
            metadata?: {
                [key: string]: string;
            };
        };
        BatchCountsAnswer: {
            total: number;
            completed: number;
            failed: number;
        };
        BatchFileAnswer: {
            id: string;
            /** @enum {string} */
            object: "file";
            bytes: number;
            created_at: number;
            /** @description The time at which the file is deleted. */
            expires_at: number;
            filename: string;
            /** @enum {string} */
            purpose: "batch" | "batch_output" | "batch_error";
            /** @enum {string} */
            status: "processed";
        };
        BatchFilesAnswer: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["BatchFileAnswer"][];
            has_more: boolean;
        };
        BatchesAnswer: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["BatchAnswer"][];
            first_id: string | null;
            last_id: string | null;
            has_more: boolean;
        };
        CapabilitiesAnswer: {
            /** @description The model supports `seed`. */
            seed?: boolean;
            /** @description The model supports `negativePrompt`. */
            negativePrompt?: boolean;
            /** @description The most `sources` beside `image`. */
            sources?: number;
            /** @description The model supports `mask`. */
            mask?: boolean;
            /** @description The model supports `lastFrame`. */
            lastFrame?: boolean;
            /** @description The model can continue a clip (`extend`). */
            extend?: boolean;
            /** @description The most results of one call, `n`. */
            n?: number;
        };
        ChannelAnswer: {
            channelId: string;
            /** @description In checksum form. */
            payer: string;
            /** @description All that calls have cost, in micro-USD. */
            chargedMicro: number;
            /** @description The part of it that was claimed on the chain. */
            claimedMicro: number;
            /** @description All deposits less all refunds, claimed or not. */
            balanceMicro: number;
            /** @description The payer withdraws on the chain, so the channel takes no calls. */
            withdrawalPending: boolean;
        };
        ChannelRefundAnswer: {
            message: string;
            channelId: string;
        };
        ChargeStateAnswer: {
            id: string;
            /** @enum {string} */
            state: "held" | "settling" | "charged" | "refunded" | "released";
        };
        ChatAnswer: {
            choices: components["schemas"]["ChatChoice"][];
            usage: components["schemas"]["ChatUsage"];
        };
        ChatBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A text model; without it the default one. */
            model?: string;
            messages: components["schemas"]["ChatMessageBody"][];
            /** @description The most tokens that the model may answer, and that are billed. Default 1024. */
            max_tokens?: number;
            temperature?: number;
            /**
             * @description For models that reason.
             * @enum {string}
             */
            reasoning_effort?: "low" | "medium" | "high";
        };
        ChatChoice: {
            message: components["schemas"]["ChatMessageAnswer"];
            /** @description Why the answer ended: stop, length (max_tokens is too small) or content_filter. */
            finish_reason?: string;
        };
        ChatMessageAnswer: {
            /** @enum {string} */
            role: "assistant";
            content: string;
        };
        ChatMessageBody: {
            /** @enum {string} */
            role: "system" | "user" | "assistant";
            /** @description At most 48000 characters in all messages together. */
            content: string;
        };
        ChatUsage: {
            prompt_tokens: number;
            completion_tokens: number;
        };
        ContentTokensAnswer: {
            totalTokens: number;
        };
        ContentTokensBody: {
            /** @description The conversation, if it is all that counts. */
            contents?: unknown[];
            /** @description A whole call of generateContent. */
            generateContentRequest?: Record<string, never>;
        };
        CountTokensAnswer: {
            input_tokens: number;
        };
        CountTokensBody: {
            /** @description A text model; without it the default one. */
            model?: string;
            messages: unknown[];
            system?: string | unknown[];
            tools?: unknown[];
        };
        CreditTransaction: {
            id: string;
            /**
             * @description The kind shows the direction, because amounts are positive.
             * @enum {string}
             */
            kind: "top_up" | "debit" | "refund";
            amountMicro: number;
            balanceAfterMicro: number;
            /** @description GET /v1/agent/charges/{id} shows it. */
            chargeId?: string;
            modelId?: string;
            transaction?: string;
            /** @description Its network. */
            network?: string;
            /** Format: date-time */
            createdAt: string;
        };
        DelegatedKeyAnswer: {
            id: string;
            name: string;
            /** @description The beginning of the key, to distinguish keys. */
            prefix: string;
            /** @description The limit of its spending in its whole life, in micro-USD. */
            limitMicro: number;
            /** @description The part of the limit that is spent, also by the keys below it. */
            spentMicro: number;
            /** @description The time at which the key expires. */
            expiresAt: string | null;
            /** @description The number of delegations between the owner and this key. */
            depth: number;
            /** @description The scopes of the key, at most those of the key above it. A scope that is left out is inherited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description Whether its limit was set aside for it. */
            reserve: boolean;
            /** @enum {string} */
            state: "active" | "disabled" | "expired";
            /** Format: date-time */
            createdAt: string;
            /** @description The key that made it; absent if you made it without a delegated key. */
            parentId?: string;
            /** @description The rest of the reserve of this key. */
            reserveLeftMicro?: number;
            /** @description Calls that were paid with it or below it. */
            requestCount: number;
            /** @description The time of the last call that this key paid. */
            lastUsedAt: string | null;
            /** @description The app that a person has connected; absent for other keys. */
            app?: components["schemas"]["KeyAppAnswer"];
        };
        DelegatedKeyBody: {
            /** @example research sub-agent */
            name?: string;
            /**
             * @description The limit of its spending in its whole life, in micro-USD.
             * @example 1000000
             */
            limitMicro: number;
            /**
             * @description The seconds until the key expires.
             * @example 3600
             */
            expiresInSeconds: number;
            /** @description The scopes of the key, at most those of the key above it. A scope that is left out is inherited. */
            scopes?: components["schemas"]["KeyScopesBody"];
            /**
             * @description Reserves the limit now, so that nothing else can spend it. The rest returns to you when the key expires or is deleted.
             * @default false
             */
            reserve: boolean;
        };
        DelegatedKeysAnswer: {
            /** @description Your keys and all keys below them, newest first. */
            keys: components["schemas"]["DelegatedKeyAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        DeletedFileAnswer: {
            id: string;
            /** @enum {string} */
            object: "file";
            deleted: boolean;
        };
        DoneAnswer: {
            ok: boolean;
        };
        DryRunAnswer: {
            /** @enum {boolean} */
            dryRun: true;
            modelId: string;
            /** @description The price that the call would have, in micro-USD. */
            priceMicro: number;
            /**
             * @description The rail that would pay.
             * @enum {string}
             */
            rail: "channel" | "x402" | "api-key" | "wallet";
            /** @description The prepaid balance that would remain. */
            balanceAfterMicro?: number;
        };
        EntryProofAnswer: {
            entry: components["schemas"]["LogEntryAnswer"];
            leafIndex: number;
            /** @description The inclusion path of RFC 6962, in base64. */
            path: string[];
            /** @description In base64. The leaf is SHA-256 over it and the canonical JSON (RFC 8785) of the entry. */
            salt: string;
        };
        ErrorAnswer: {
            error: components["schemas"]["ErrorBody"];
            /** @description Your body with the one change that makes it valid, where there is such a change. */
            fix?: Record<string, never>;
            /**
             * @description Only on /v1/messages, as its clients expect it.
             * @enum {string}
             */
            type?: "error";
            /** @description Only on /v1/messages: the `requestId` under the name that its clients expect. */
            request_id?: string;
            /** @description The page on which to add money. */
            topUp?: string;
            /** @description The page on which keys are made and changed. */
            manageKeys?: string;
            /** @description The page on which to sign in. */
            signIn?: string;
            /** @description A page about the meaning of this code and its remedy. */
            docs?: string;
            /** @description The model that replaces a retired one. */
            replacedBy?: string;
        };
        ErrorBody: {
            /** @description A text that says what is wrong and what to do. */
            message: string;
            /** @enum {string} */
            type: "invalid_request_error" | "authentication_error" | "permission_error" | "payment_required" | "not_found" | "conflict" | "rate_limited" | "policy_violation" | "region_unavailable" | "provider_error" | "unavailable" | "internal_error";
            /** @description Stable, for programs: `UNKNOWN_MODEL`. */
            code: string;
            /** @description The field at fault. */
            param: string | null;
            requestId: string;
            /** @description Only on generateContent: Google's word for the status. */
            status?: string;
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
        };
        EventAnswer: {
            /** @description Sent once; a receiver can drop a repeated id. */
            id: string;
            /** @enum {string} */
            type: "job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "top_up.failed" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled" | "model.changed" | "model.unavailable" | "model.retired";
            /** Format: date-time */
            createdAt: string;
            /** @description The object at that time, as its GET shows it: a job, a receipt without its signature, or a reference. */
            data: Record<string, never>;
        };
        EventsAnswer: {
            /** @description Oldest first. */
            events: components["schemas"]["EventAnswer"][];
            /** @description For `after`, also when there was nothing new. */
            nextCursor: string;
        };
        GenerateBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /**
             * @description A description of the wanted result.
             * @example A red fox in the snow
             */
            prompt: string;
            /** @description A media model. Without it the mode follows the media given, and the default of that mode is used. */
            modelId?: string;
            /** @description Source image: a public http(s) address or a data:image URI, at most 8 MB, or the id of one of your references. */
            image?: string;
            /** @description Face or subject for swap models; the same rules as `image`. */
            image2?: string;
            /** @description Source clip for motion models: an https address or a data:video URI, at most 40 MB, or the id of a reference. */
            video?: string;
            /** @description Further source images beside `image`, by the same rules, for models with the capability `sources`. */
            sources?: string[];
            /** @description White where `image` is repainted, black where it stays: an image, by the rules of `image`. */
            mask?: string;
            /** @description The last picture of the film that begins with `image`; the rules of `image`. */
            lastFrame?: string;
            /** @description The clip that the film continues; the rules of `video`. `duration` is the length of the new part. */
            extend?: string;
            /** @description The same seed tends to the same result. For models with the capability `seed`. */
            seed?: number;
            /** @description Things that the result should not show. For models with the capability `negativePrompt`. */
            negativePrompt?: string;
            /** @description How many images, default 1. Each costs the same, and all are made or none. For models with the capability `n`. */
            n?: number;
            /** @description Attach the best matches of the reference library to empty media inputs. */
            useReferences?: boolean;
            /** @description Pin exact references to empty media inputs, in order. */
            referenceIds?: string[];
            imageSize?: string;
            /** @description The quality of the picture: one of the `qualities` of the model. */
            quality?: string;
            /** @description Without it, the first of the model. Work from a picture keeps its shape, if the vendor can. */
            aspectRatio?: string;
            /** @description Video seconds; the steps are those of the model. */
            duration?: number;
            resolution?: string;
            /** @description Sound, for models that make it. Default on. */
            audio?: boolean;
            /**
             * @description A public https address. The job's last event is sent there, signed with the service's own key (`v1a`), in at most 6 tries.
             * @example https://example.com/hooks/lamppost
             */
            webhookUrl?: string;
        };
        GenerateContentAnswer: {
            candidates: components["schemas"]["GenerateContentCandidate"][];
            usageMetadata: components["schemas"]["GenerateContentUsage"];
            modelVersion: string;
            /** @description The charge; GET /v1/agent/charges/{id} shows it. */
            responseId: string;
        };
        GenerateContentBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description Only for a quote: a call names its model in its path. */
            model?: string;
            contents: components["schemas"]["GenerateContentTurn"][];
            /** @description Texts that come before the conversation. */
            systemInstruction?: Record<string, never>;
            /** @description Your own functions that the model may call. */
            tools?: unknown[];
            toolConfig?: Record<string, never>;
            /** @description Limits, temperature, schema and effort. A limit above the model's maximum counts as this maximum. */
            generationConfig?: Record<string, never>;
            /** @description Not served: leave it out. */
            cachedContent?: string;
        };
        GenerateContentCandidate: {
            /** @description Its parts are text and functionCall. */
            content: {
                /** @constant */
                role?: "model";
                parts?: {
                    [key: string]: unknown;
                }[];
            };
            finishReason: string;
            index: number;
        };
        GenerateContentModel: {
            name: string;
            displayName: string;
            version: string;
            inputTokenLimit?: number;
            outputTokenLimit?: number;
            supportedGenerationMethods: string[];
            thinking?: boolean;
            inputModalities: string[];
            functionCalling?: boolean;
            /** @description As in `GET /v1/agent/models`. */
            pricing: {
                [key: string]: unknown;
            };
        };
        GenerateContentModelList: {
            models: components["schemas"]["GenerateContentModel"][];
        };
        GenerateContentTurn: {
            /**
             * @description Without it, `user`.
             * @enum {string}
             */
            role?: "user" | "model" | "function";
            /** @description Each is text, inlineData, fileData, functionCall or functionResponse. */
            parts: unknown[];
        };
        GenerateContentUsage: {
            promptTokenCount: number;
            /** @description Tokens of thoughts are among them. */
            candidatesTokenCount: number;
            cachedContentTokenCount: number;
            totalTokenCount: number;
        };
        ImageDatum: {
            url?: string;
            b64_json?: string;
        };
        ImagesAnswer: {
            /** @description Seconds since 1970. */
            created: number;
            data: components["schemas"]["ImageDatum"][];
        };
        ImagesBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /**
             * @description A description of the wanted result.
             * @example A red fox in the snow
             */
            prompt: string;
            /** @description An image model; without it the default one. */
            model?: string;
            /**
             * @description `auto` is the default of the model.
             * @enum {string}
             */
            size?: "1024x1024" | "1792x1024" | "1024x1792" | "1536x1024" | "1024x1536" | "auto";
            /** @description How many images, default 1. Each costs the same, and all are made or none. For models with the capability `n`. */
            n?: number;
            /**
             * @description Default url.
             * @enum {string}
             */
            response_format?: "url" | "b64_json";
            aspectRatio?: string;
            resolution?: string;
            imageSize?: string;
            /** @description One of the `qualities` of the model. Models without qualities ignore it. */
            quality?: string;
            /** @description The same seed tends to the same result. For models with the capability `seed`. */
            seed?: number;
            /** @description Things that the result should not show. For models with the capability `negativePrompt`. */
            negativePrompt?: string;
            /**
             * @description A public https address. The job's last event is sent there, signed with the service's own key (`v1a`), in at most 6 tries.
             * @example https://example.com/hooks/lamppost
             */
            webhookUrl?: string;
        };
        InclusionProofAnswer: {
            /** @description A signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses. */
            checkpoint: string;
            entry: components["schemas"]["LogEntryAnswer"];
            leafIndex: number;
            /** @description The inclusion path of RFC 6962, in base64. */
            path: string[];
            /** @description In base64. */
            salt: string;
            treeSize: number;
        };
        InputDetails: {
            cached_tokens: number;
        };
        InputTokensAnswer: {
            /** @enum {string} */
            object: "response.input_tokens";
            input_tokens: number;
        };
        InputTokensBody: {
            /** @description A text model; without it the default one. */
            model?: string;
            input?: string | unknown[];
            tools?: unknown[];
        };
        JobAnswer: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description The address of the medium, once the job is done. */
            url?: string;
            /** @description The addresses of all results of a call with `n`; the first is `url`. */
            urls?: string[];
            /** @description The reason of the failure. */
            error?: string;
            /**
             * @description The error code of the failure, for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "POLICY_BLOCKED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description The references that the job uses, if the call asked for references. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description The tag of the call. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
        };
        KeyAppAnswer: {
            /** @description Its name, as it gives it. */
            name: string;
            /** @description The host that vouches for it, or to which its sign-in returned. */
            host: string;
        };
        KeyBalanceAnswer: {
            /** @description The same in USD, to read; count with balanceMicro. */
            balanceUsd: number;
            /** @description The amount that calls may spend, in micro-USD. */
            balanceMicro: number;
            /** @description The money that is reserved for keys and for running calls. */
            reservedMicro: number;
            /** @enum {string} */
            currency: "USD";
            /** @description The 10 newest credit transactions. */
            recent: components["schemas"]["CreditTransaction"][];
            /** @description The page on which to top up. */
            topUp: string;
        };
        KeyScopesBody: {
            /**
             * @description The routes that the key may call: `read` is models, quotes, balance, own jobs, events and receipts; `studio` is /v1/chat/completions, /v1/responses, /v1/messages and /v1/models/{call}.
             * @example [
             *       "chat",
             *       "read"
             *     ]
             */
            routes?: ("chat" | "studio" | "image" | "video" | "audio" | "references" | "read" | "keys" | "webhooks" | "cancel")[];
            /**
             * @description The ids of the models.
             * @example [
             *       "lumen-chat"
             *     ]
             */
            models?: string[];
            /** @description The most that one call may cost, in micro-USD. */
            priceMicroMax?: number;
            /**
             * @description Networks that calls may come from, in CIDR.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            ips?: string[];
            /** @description Calls in a minute. */
            perMinute?: number;
        };
        ListedModel: {
            id: string;
            /** @enum {string} */
            object: "model";
            created: number;
            owned_by: string;
            /** @description Of text models, like the fields below. */
            context_length?: number;
            max_output_tokens?: number;
            input_modalities?: string[];
            /** @description `tools` and `reasoning`, if the model has them. */
            supported_features?: string[];
            /** @description As in `GET /v1/agent/models`. */
            pricing?: {
                [key: string]: unknown;
            };
        };
        LogEntryAnswer: {
            amountMicro: number;
            /** Format: date-time */
            at: string;
            /** @description The owner's prepaid balance after it. */
            balanceMicro: number;
            /** @description Of a ledger entry, or a charge id with how the charge ended. */
            id: string;
            /** @description `top_up`, `debit`, `refund`; or the end of a charge: `charged`, `released`, `refunded`. */
            kind: string;
            /** @description The account, or the wallet in lower case. */
            owner: string;
            /** @description The leaf hash of the owner's entry before it, in base64; empty in the first. */
            previous: string;
        };
        MatchedReferenceAnswer: {
            id: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description The type of the bytes, as found in them. */
            mime: string;
            bytes: number;
            label?: string;
            /** @description The address of the medium, valid for 24 hours from this answer. */
            url: string;
            /** @description 0 until the search finds the reference, usually for a second after it is stored. Then 1. */
            vectorReady: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The similarity to the query; 1 is identical. */
            score: number;
        };
        MatchedReferencesAnswer: {
            /** @description The closest first. */
            refs: components["schemas"]["MatchedReferenceAnswer"][];
        };
        MediaDoneAnswer: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "done";
            /** @description The address of the medium. */
            url: string;
            /** @description The addresses of all results of a call with `n`; the first is `url`. */
            urls?: string[];
            /** @description The references that the job uses, if the call asked for references. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
        };
        MediaModelAnswer: {
            /** @description Further ids of the model. */
            aliases?: string[];
            /** @description Only callers whom the operator allows may use it. */
            adultsOnly?: boolean;
            /** @description The day (UTC) from which the model is no longer sold. */
            retiresOn?: string;
            /** @description The model to use instead of a retired one. */
            replacedBy?: string;
            /** @description Use it as `modelId`, or as `model` on the compatible routes. */
            id: string;
            name: string;
            /**
             * @description The kind of input and of result: `t2v` is text to video.
             * @enum {string}
             */
            mode: "t2i" | "i2i" | "t2v" | "i2v" | "swap" | "motion";
            /** @description Whether it belongs to the private models. */
            private?: boolean;
            /** @description The default of its mode. */
            default?: boolean;
            /** @description Whether it can make sound. */
            audio: boolean;
            /** @description Set if its films always have sound, so that `audio: false` is refused. */
            soundAlways?: boolean;
            /** @description The wishes of a call that it can fulfil. */
            capabilities: components["schemas"]["CapabilitiesAnswer"];
            aspectRatios: string[];
            resolutions: string[];
            imageSizes: string[];
            /** @description The values of `quality`, the default first. */
            qualities?: string[];
            /** @description The seconds it can make. */
            durations: number[];
            pricing: components["schemas"]["MediaPrices"];
        };
        MediaPrices: {
            /**
             * @description The unit of the price.
             * @enum {string}
             */
            unit: "image" | "second";
            /**
             * @description Retail micro-USD per unit, by resolution or image size. For another `quality` than the default, the key begins with it, as in `high 1024x1024`.
             * @example {
             *       "default": 30770
             *     }
             */
            priceMicro: {
                [key: string]: number;
            };
        };
        MediaRunningAnswer: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "running";
            jobId: string;
            /** @description The path to poll, free of charge. */
            poll: string;
            /** @description The references that the job uses, if the call asked for references. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
        };
        MessageParam: {
            /** @enum {string} */
            role: "user" | "assistant" | "system";
            /** @description Text, or blocks: text, image, document, tool_use, tool_result, thinking, redacted_thinking. */
            content: string | unknown[];
        };
        MessagesAnswer: {
            /** @description The charge; GET /v1/agent/charges/{id} shows it. */
            id: string;
            /** @enum {string} */
            type: "message";
            /** @enum {string} */
            role: "assistant";
            model: string;
            /** @description Blocks: text, tool_use, thinking. */
            content: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            stop_reason: string;
            /** @description Always null: no model reports which sequence it was. */
            stop_sequence: null;
            usage: components["schemas"]["MessagesUsage"];
        };
        MessagesBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A text model; without it the default one. */
            model?: string;
            /** @description A limit above the model's maximum counts as this maximum. */
            max_tokens: number;
            messages: components["schemas"]["MessageParam"][];
            /** @description Text, or blocks of text. */
            system?: string | unknown[];
            temperature?: number;
            top_p?: number;
            top_k?: number;
            stop_sequences?: string[];
            stream?: boolean;
            /** @description Your own tools that the model may call. */
            tools?: unknown[];
            tool_choice?: Record<string, never>;
            /** @description Effort, and a schema that the answer follows. */
            output_config?: Record<string, never>;
            /** @description For models that reason. */
            thinking?: Record<string, never>;
            /** @description Not served: leave it out. */
            mcp_servers?: Record<string, never>[];
        };
        MessagesModel: {
            /** @enum {string} */
            type: "model";
            id: string;
            display_name: string;
            created_at: string;
            max_input_tokens?: number;
            max_tokens?: number;
            capabilities?: {
                [key: string]: {
                    supported?: boolean;
                };
            };
            /** @description As in `GET /v1/agent/models`. */
            pricing: {
                [key: string]: unknown;
            };
        };
        MessagesModelList: {
            data: components["schemas"]["MessagesModel"][];
            has_more: boolean;
            first_id: string | null;
            last_id: string | null;
        };
        MessagesUsage: {
            input_tokens: number;
            output_tokens: number;
            cache_read_input_tokens: number;
            cache_creation_input_tokens: number;
        };
        ModelHealth: {
            modelId: string;
            /** @enum {string} */
            kind: "chat" | "image" | "video";
            /** @description Calls that succeeded. */
            done: number;
            /** @description Calls that the model failed; nobody paid for them. */
            failed: number;
            /** @description The part that succeeded. */
            successRate: number;
            /** @description Null when no call succeeded. */
            medianSeconds: number | null;
            /** @description 95 percent of the calls took less time than this. Null when no call succeeded. */
            p95Seconds: number | null;
            /** @description The steps in which there were calls, oldest first. */
            points: components["schemas"]["ModelHealthPoint"][];
        };
        ModelHealthPoint: {
            /**
             * Format: date-time
             * @description The beginning of this step.
             */
            at: string;
            done: number;
            failed: number;
            /** @description Null when no call succeeded. */
            medianSeconds: number | null;
        };
        ModelListAnswer: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["ListedModel"][];
        };
        ModelsAnswer: {
            models: components["schemas"]["MediaModelAnswer"][];
            textModels: components["schemas"]["TextModelAnswer"][];
            audioModels: components["schemas"]["AudioModelAnswer"][];
        };
        NewDelegatedKeyAnswer: {
            id: string;
            name: string;
            /** @description The beginning of the key, to distinguish keys. */
            prefix: string;
            /** @description The limit of its spending in its whole life, in micro-USD. */
            limitMicro: number;
            /** @description The part of the limit that is spent, also by the keys below it. */
            spentMicro: number;
            /** @description The time at which the key expires. */
            expiresAt: string | null;
            /** @description The number of delegations between the owner and this key. */
            depth: number;
            /** @description The scopes of the key, at most those of the key above it. A scope that is left out is inherited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description Whether its limit was set aside for it. */
            reserve: boolean;
            /** @description The key itself. It is never shown again: keep it in a safe place. */
            key: string;
        };
        NewReferenceBody: {
            /** @description A data: URI of an image (at most 8 MB) or video (40 MB), or a public https address of one. */
            media: string;
            /**
             * @description A text that describes the content. It helps the search most.
             * @example A red car in front of the old town hall
             */
            label?: string;
        };
        NewWebhookBody: {
            /**
             * @description The address to which events are sent: a public https address.
             * @example https://example.com/hooks/lamppost
             */
            url: string;
            /** @description The types of events to send. Without it, all types that the maker sees are sent. Developers and delegated keys see fewer. */
            types?: ("job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "top_up.failed" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled" | "model.changed" | "model.unavailable" | "model.retired")[];
        };
        OutputDetails: {
            /** @description Always 0: they are counted in output_tokens. */
            reasoning_tokens: number;
        };
        OwnJob: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description The address of the medium, once the job is done. */
            url?: string;
            /** @description The addresses of all results of a call with `n`; the first is `url`. */
            urls?: string[];
            /** @description The reason of the failure. */
            error?: string;
            /**
             * @description The error code of the failure, for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "POLICY_BLOCKED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description The references that the job uses, if the call asked for references. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description The tag of the call. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
            /** @description GET /v1/agent/charges/{id} shows the payment. */
            chargeId: string;
        };
        OwnJobsAnswer: {
            /** @description Newest first. */
            jobs: components["schemas"]["OwnJob"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        PaymentRequiredAnswer: {
            error: components["schemas"]["ErrorBody"];
            /** @description Your body with the one change that makes it valid, where there is such a change. */
            fix?: Record<string, never>;
            /**
             * @description Only on /v1/messages, as its clients expect it.
             * @enum {string}
             */
            type?: "error";
            /** @description Only on /v1/messages: the `requestId` under the name that its clients expect. */
            request_id?: string;
            /** @description The page on which to add money. */
            topUp?: string;
            /** @description The page on which keys are made and changed. */
            manageKeys?: string;
            /** @description The page on which to sign in. */
            signIn?: string;
            /** @description A page about the meaning of this code and its remedy. */
            docs?: string;
            /** @description The model that replaces a retired one. */
            replacedBy?: string;
            /** @enum {integer} */
            x402Version?: 1;
            /** @description The payment requirements, for clients of the first version. */
            accepts?: Record<string, never>[];
            /** @description The whole extensions of x402. The header has only a short form of them. */
            extensions?: Record<string, never>;
            /** @description All offers of the second version, if the header has room for only some of them. */
            offers?: Record<string, never>[];
        };
        PromptDetails: {
            cached_tokens: number;
        };
        ProvenanceAnswer: {
            /** @description The id of the model that made it. */
            model: string;
            /** Format: date-time */
            createdAt: string;
            aiGenerated: boolean;
            /** @description The SHA-256 of the file that the service delivered, in hex. */
            sha256: string;
        };
        ProvenanceCheckAnswer: {
            found: boolean;
            /** @enum {string} */
            match: "exact" | "similar" | "none";
            /** @description The id of the model that made it. */
            model?: string;
            /** Format: date-time */
            createdAt?: string;
            provenanceId?: string;
            /** @description The differing bits of the two perceptual hashes. */
            distance?: number;
            /** @description The perceptual hash of the sent picture, if no similar file was found. */
            perceptualHash?: string;
            /**
             * @description The signed C2PA manifest of the file that was sent: intact, changed, or none.
             * @enum {string}
             */
            manifest?: "valid" | "invalid" | "absent";
            /** @description The signer of the manifest, by its certificate. */
            manifestIssuer?: string;
            /** @description Whether this service signed the manifest. */
            manifestOurs?: boolean;
        };
        ProvenanceCheckBody: {
            /** @description The SHA-256 of the file's bytes, in hex. */
            sha256?: string;
            /** @description The perceptual hash of a picture, in hex. */
            perceptualHash?: string;
            /** @description The file as a data URI. It is read and not kept. */
            media?: string;
        };
        QuoteAnswer: {
            modelId: string;
            /** @description The kind of the call: a mode of media, or a word for its route. */
            mode: string;
            /** @description The price of the call, in micro-USD. */
            priceMicro: number;
            /** @description The price without a discount. */
            listPriceMicro: number;
            /** @description The expected cost at the provider; media models only. */
            providerCostMicro?: number;
            /** @description True if the estimate is a present price of the provider, and false if it is from the rate card. */
            live: boolean;
            /** @description Send it with the call to pay exactly this. */
            quoteId: string;
            /**
             * Format: date-time
             * @description The time at which the quote expires.
             */
            expiresAt: string;
        };
        QuoteBody: {
            /**
             * @description A media, text or audio model.
             * @example ember-image
             */
            modelId: string;
            /** @description The same as modelId, for clients that send both. */
            model?: string;
            /** @description Counted for speech models, and for text models when there are no messages. */
            prompt?: string;
            /** @description The source picture of the call. Only its presence counts: a model may cost more with one. */
            image?: string;
            /** @description Seconds of a video, or of a recording. */
            duration?: number;
            resolution?: string;
            imageSize?: string;
            quality?: string;
            aspectRatio?: string;
            /** @description Sound, for models that make it. Default on. */
            audio?: boolean;
            /** @description How many images, for models that make several. */
            n?: number;
            /** @description Messages of a chat call. */
            messages?: components["schemas"]["QuoteMessage"][];
            /** @description Output cap of a chat call. Default 1024. */
            max_tokens?: number;
            /** @description Shows this wallet's volume tier; the quote then holds for it alone. */
            payer?: string;
        };
        QuoteMessage: {
            role?: string;
            /** @description Only the number of its characters is used. */
            content: string;
        };
        RateStep: {
            /** @description USD per million input tokens that come from the cache of the maker. */
            cacheReadUsdPerMtok?: string;
            /** @description USD per million input tokens that go into the cache of the maker. */
            cacheWriteUsdPerMtok?: string;
            /** @description The same for tokens that the cache keeps for an hour. */
            cacheWrite1hUsdPerMtok?: string;
            /** @description USD per million input tokens of images. */
            inputImageUsdPerMtok?: string;
            /** @description USD per million input tokens of sound. */
            inputAudioUsdPerMtok?: string;
            /** @description USD per million output tokens of sound. */
            outputAudioUsdPerMtok?: string;
            /** @description If the whole input has more tokens, these rates hold for all tokens of the call. */
            tokens: number;
            inputUsdPerMtok?: string;
            outputUsdPerMtok?: string;
        };
        ReceiptAnswer: {
            id: string;
            /** @enum {string} */
            state: "held" | "settling" | "charged" | "refunded" | "released";
            /** @enum {string} */
            rail: "channel" | "x402" | "api-key" | "wallet";
            /** @description The wallet, or the account. */
            payer: string;
            modelId?: string;
            /** @description The price of the call, in micro-USD. */
            priceMicro: number;
            listPriceMicro: number;
            discountPercent: number;
            jobId?: string;
            /** @description The tag that the caller set. */
            tag?: string;
            /** @description The network on which it was paid, by x402 or a channel. */
            network?: string;
            /** @description The transaction that paid it, on the x402 rail. */
            transaction?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            settledAt?: string;
            /** Format: date-time */
            refundedAt?: string;
            /** @description The proof that the transparency log contains the end of the charge, available about ten seconds after that end. The proof shows the balance, so for the charge of an account only its owner sees it. */
            proof?: components["schemas"]["InclusionProofAnswer"];
            /** @description A detached JWS (EdDSA) over this receipt without the field jws, keys sorted, no spaces. The key is at /.well-known/jwks.json. */
            jws: string;
        };
        ReferenceAnswer: {
            id: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description The type of the bytes, as found in them. */
            mime: string;
            bytes: number;
            label?: string;
            /** @description The address of the medium, valid for 24 hours from this answer. */
            url: string;
            /** @description 0 until the search finds the reference, usually for a second after it is stored. Then 1. */
            vectorReady: number;
            /** Format: date-time */
            createdAt: string;
        };
        ReferencesAnswer: {
            /** @description Newest first. */
            refs: components["schemas"]["ReferenceAnswer"][];
        };
        RequestAnswer: {
            /** @description The charge, or the note of a refused call. */
            id: string;
            /** Format: date-time */
            at: string;
            /**
             * @description `refused`: no money was held. `failed`: the hold was released. `refunded`: it failed after the charge.
             * @enum {string}
             */
            status: "ok" | "running" | "refused" | "failed" | "refunded";
            /** @description The HTTP status of a call that failed. */
            httpStatus?: number;
            /** @description The code of the error. */
            code?: string;
            /** @description The kind of call, such as `media` or `studio`. */
            operation?: string;
            /** @description Method and path, where they are known. */
            route?: string;
            modelId?: string;
            /** @description Absent for calls with a session. */
            key?: components["schemas"]["RequestKeyAnswer"];
            /** @description The signed-in person, or the maker of the key. Only for sessions. */
            member?: components["schemas"]["RequestMemberAnswer"];
            tag?: string;
            /** @description The session, by the header `X-Session`, `prompt_cache_key` or `metadata.user_id`. It is kept for 30 days, and appears some seconds after the call. */
            session?: components["schemas"]["RequestSessionAnswer"];
            rail?: string;
            /** @description The charged price, or the amount that a running call reserves. */
            costMicro: number;
            /** @description From the hold to the settlement, or to the end of the job. Of a failed call, the time of the whole request. */
            ms?: number;
            /** @description The tokens of calls that are priced by usage. */
            tokens?: components["schemas"]["RequestTokensAnswer"];
            medium?: components["schemas"]["RequestMediumAnswer"];
            /** @description The attempts in their order, if there was more than one or the call failed. No provider is named. */
            attempts: components["schemas"]["AttemptAnswer"][];
            /** @description GET /v1/agent/charges/{id} is its receipt. */
            chargeId?: string;
            jobId?: string;
        };
        RequestKeyAnswer: {
            id: string;
            name?: string;
        };
        RequestMediumAnswer: {
            /** @enum {string} */
            kind: "image" | "video";
            seconds?: number;
            size?: string;
        };
        RequestMemberAnswer: {
            id: string;
            email?: string;
        };
        RequestSessionAnswer: {
            /** @description A hash of the name that the program gave to its session. */
            id: string;
            /** @description The calls of the session so far that you may see, of its newest 5,000. It is fewer if a page has over four sessions: 20,000 for all. Absent if the sums took too long. */
            calls?: number;
            /** @description The cost of these calls. */
            costMicro?: number;
        };
        RequestTokensAnswer: {
            input: number;
            output: number;
        };
        RequestsAnswer: {
            /** @description Newest first. */
            requests: components["schemas"]["RequestAnswer"][];
            /** @description Send it as `cursor` for the next page; null at the end. A rare filter may answer a short page with a cursor: older calls were not looked at yet. */
            nextCursor: string | null;
            /** @description The time back to which this page has searched; null at the end of the log. */
            lookedBackTo: string | null;
        };
        ResponsesAnswer: {
            /** @description The charge; GET /v1/agent/charges/{id} shows it. */
            id: string;
            /** @enum {string} */
            object: "response";
            created_at: number;
            /** @enum {string} */
            status: "in_progress" | "completed" | "incomplete";
            /** @description The reason why the answer is incomplete. */
            incomplete_details: {
                reason: string;
            } | null;
            /** @description Always null: a failed call is answered with an error instead. */
            error: null;
            model: string;
            /** @description Items: message, function_call. */
            output: ({
                type: string;
            } & {
                [key: string]: unknown;
            })[];
            /** @description Always false: nothing is stored. */
            store: boolean;
            parallel_tool_calls: boolean;
            tools: Record<string, never>[];
            tool_choice: string | Record<string, never>;
            metadata: Record<string, never>;
            instructions: string | null;
            temperature: number | null;
            top_p: number | null;
            usage?: components["schemas"]["ResponsesUsage"];
        };
        ResponsesBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A text model; without it the default one. */
            model?: string;
            /** @description Text, or items: messages, calls of tools, their results, reasoning. */
            input: string | unknown[];
            instructions?: string | null;
            /** @description Default: the model's maximum. A limit above the model's maximum counts as this maximum. */
            max_output_tokens?: number;
            temperature?: number;
            top_p?: number;
            stream?: boolean;
            /** @description Nothing is stored: leave it out, or send false. */
            store?: boolean;
            /** @description Your own functions that the model may call. */
            tools?: unknown[];
            tool_choice?: string | Record<string, never>;
            parallel_tool_calls?: boolean;
            /** @description Structured outputs. */
            text?: Record<string, never>;
            /** @description For models that reason. */
            reasoning?: Record<string, never> | null;
            /** @description Not served: leave it out, or send false. */
            background?: boolean;
            /** @description Not served: send the whole conversation. */
            previous_response_id?: string | null;
            /** @description Not served: send the whole conversation. */
            conversation?: string | Record<string, never> | null;
            /** @description Not served: send the words. */
            prompt?: Record<string, never> | null;
        };
        ResponsesUsage: {
            input_tokens: number;
            input_tokens_details: components["schemas"]["InputDetails"];
            output_tokens: number;
            output_tokens_details: components["schemas"]["OutputDetails"];
            total_tokens: number;
        };
        RotateWebhookBody: {
            /**
             * @description The seconds for which the earlier secrets sign as well.
             * @example 86400
             */
            overlapSeconds: number;
        };
        SpeechBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A speech model; without it the default one. */
            model?: string;
            /**
             * @description What to say. Its characters are the price.
             * @example The lamps are lit.
             */
            input: string;
            /** @description One of the model's `voices`; without it the first one. */
            voice?: string;
            /**
             * @description One of the model's `formats`. Default mp3.
             * @enum {string}
             */
            response_format?: "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm";
            /** @description Default 1. */
            speed?: number;
        };
        StatementAnswer: {
            owner: string;
            /** @description The balance before the first entry of this page. */
            openingBalanceMicro: number;
            /** @description The balance after the last entry of this page. */
            closingBalanceMicro: number;
            /** @description Your entry before the first one of this page. It proves the opening balance. Absent where there is none. */
            before?: components["schemas"]["EntryProofAnswer"];
            /** @description In the order of the log. Each names the one before it. */
            entries: components["schemas"]["EntryProofAnswer"][];
            /** @description The signed tree of all paths. Absent until the first entry is sealed. */
            checkpoint?: string;
            treeSize: number;
            /** @description Send it as `cursor` for the next page; absent on the last page. */
            nextCursor?: string;
        };
        StatusAnswer: {
            /** @enum {string} */
            window: "24h" | "7d" | "30d";
            /** Format: date-time */
            from: string;
            /**
             * Format: date-time
             * @description The time of this measurement, which happens at most once a minute.
             */
            to: string;
            /** @description The length of a step in seconds. */
            stepSeconds: number;
            /** @description Models that were called in this time. */
            models: components["schemas"]["ModelHealth"][];
        };
        StoredReferenceAnswer: {
            ok: boolean;
            asset: components["schemas"]["ReferenceAnswer"];
        };
        StreamOptions: {
            /** @description Send the real token counts and the charge at the end. */
            include_usage?: boolean;
        };
        StudioAnswer: {
            /** @description The charge; GET /v1/agent/charges/{id} shows it. */
            id: string;
            /** @enum {string} */
            object: "chat.completion";
            created: number;
            model: string;
            choices: components["schemas"]["StudioChoice"][];
            usage: components["schemas"]["StudioUsage"];
        };
        StudioBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A text model; without it the default one. */
            model?: string;
            messages: components["schemas"]["StudioMessage"][];
            /** @description Default: the model's maximum. A limit above the model's maximum counts as this maximum. */
            max_tokens?: number;
            /** @description The newer name of max_tokens. */
            max_completion_tokens?: number;
            temperature?: number;
            top_p?: number;
            frequency_penalty?: number;
            presence_penalty?: number;
            seed?: number;
            /** @enum {string} */
            reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
            stream?: boolean;
            stream_options?: components["schemas"]["StreamOptions"];
            /** @description Only 1 is supported. */
            n?: number;
            /** @description Your own functions that the model may call. */
            tools?: unknown[];
            tool_choice?: string | Record<string, never>;
            parallel_tool_calls?: boolean;
            /** @description Structured outputs. */
            response_format?: Record<string, never>;
            stop?: string | string[] | null;
        };
        StudioChoice: {
            index: number;
            /** @description Text, or the calls of tools that the model wants made. */
            message: {
                role?: string;
                content?: string | null;
                tool_calls?: Record<string, never>[];
            } & {
                [key: string]: unknown;
            };
            finish_reason: string;
        };
        StudioMessage: {
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "tool";
            /** @description Text, or parts: text, image_url for models with vision, file for models that read documents. */
            content?: string | unknown[] | null;
            tool_calls?: unknown[] | null;
            tool_call_id?: string;
            name?: string;
            /** @description The earlier reasoning of the model, for models that need to receive it again. */
            reasoning_content?: string | null;
            refusal?: string | null;
        };
        StudioUsage: {
            prompt_tokens: number;
            completion_tokens: number;
            total_tokens: number;
            prompt_tokens_details?: components["schemas"]["PromptDetails"];
        };
        TextModelAnswer: {
            /** @description Further ids of the model. */
            aliases?: string[];
            /** @description Only callers whom the operator allows may use it. */
            adultsOnly?: boolean;
            /** @description The day (UTC) from which the model is no longer sold. */
            retiresOn?: string;
            /** @description The model to use instead of a retired one. */
            replacedBy?: string;
            /** @description USD per million input tokens that come from the cache of the maker. */
            cacheReadUsdPerMtok?: string;
            /** @description USD per million input tokens that go into the cache of the maker. */
            cacheWriteUsdPerMtok?: string;
            /** @description The same for tokens that the cache keeps for an hour. */
            cacheWrite1hUsdPerMtok?: string;
            /** @description USD per million input tokens of images. */
            inputImageUsdPerMtok?: string;
            /** @description USD per million input tokens of sound. */
            inputAudioUsdPerMtok?: string;
            /** @description USD per million output tokens of sound. */
            outputAudioUsdPerMtok?: string;
            /** @description Use it as `model`. */
            id: string;
            name: string;
            /** @description Catalog rate, USD per million input tokens. */
            inputUsdPerMtok: string;
            /** @description Catalog rate, USD per million output tokens. */
            outputUsdPerMtok: string;
            /** @description The rates that change with the length of the input. */
            above?: components["schemas"]["RateStep"][];
            /** @description The price on POST /v1/agent/chat per million input tokens. */
            chatInputUsdPerMtok: string;
            /** @description The price on POST /v1/agent/chat per million output tokens. */
            chatOutputUsdPerMtok: string;
            /** @description The most tokens of a conversation, with its answer. */
            contextTokens?: number;
            /** @description The most tokens of an answer. A call without a limit may use all of them. */
            maxOutputTokens?: number;
            reasoning?: boolean;
            vision?: boolean;
            /** @description The kinds of input that it reads. */
            inputs: string[];
            /** @description It can call tools. Absent if the service does not know it. */
            tools?: boolean;
            openWeights?: boolean;
            /** @description Whether it belongs to the private models. */
            private?: boolean;
            default?: boolean;
        };
        TopUpAnswer: {
            /** @description The wallet that paid, and that was credited. */
            wallet: string;
            /** @description The amount that was settled and credited. */
            topUpMicro: number;
            /** @description The balance after it. */
            balanceMicro: number;
        };
        TopUpBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
        };
        TranscriptSegment: {
            start: number;
            end: number;
            text: string;
        };
        TranscriptionAnswer: {
            text: string;
            /** @description With `verbose_json`. */
            language?: string;
            /** @description Seconds, with `verbose_json`. */
            duration?: number;
            /** @description With `verbose_json`. */
            segments?: components["schemas"]["TranscriptSegment"][];
        };
        TranscriptionBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A sound file of at most 25 MB and two hours: WAV, MP3, AAC in M4A, or Opus in Ogg or WebM. */
            file: string;
            /** @description A transcription model; without it the default one. */
            model?: string;
            /**
             * @description The language of the file, by ISO 639-1.
             * @example en
             */
            language?: string;
            /**
             * @description Default json. `text`, `srt` and `vtt` answer plain text.
             * @enum {string}
             */
            response_format?: "json" | "text" | "srt" | "verbose_json" | "vtt";
        };
        UsedReferenceAnswer: {
            id: string;
            /**
             * @description The input that it fills.
             * @enum {string}
             */
            input: "image" | "image2" | "video" | "sources" | "mask" | "lastFrame" | "extend";
            /** @description The similarity to the prompt; absent if the call pinned the reference. */
            score?: number;
        };
        VideoAnswer: {
            id: string;
            /** @enum {string} */
            object: "video";
            /** @enum {string} */
            status: "queued" | "in_progress" | "completed" | "failed";
            model: string;
            size: string;
            seconds: string;
            /** @description Seconds since 1970. */
            created_at: number;
            /** @description Percent. */
            progress: number;
            completed_at?: number;
            /** @description The time at which the video is deleted. */
            expires_at?: number;
            error?: {
                code?: string;
                message?: string;
            };
        };
        VideosBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and return the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /**
             * @description A description of the wanted result.
             * @example A red fox in the snow
             */
            prompt: string;
            /** @description A video model (mode t2v); without it the default one. */
            model?: string;
            /** @enum {string} */
            size?: "1280x720" | "720x1280" | "1792x1024" | "1024x1792";
            /**
             * @description Seconds; the model's smallest step at or above is taken.
             * @example 8
             */
            seconds?: string;
            resolution?: string;
            aspectRatio?: string;
            audio?: boolean;
            /** @description The same seed tends to the same result. For models with the capability `seed`. */
            seed?: number;
            /** @description Things that the result should not show. For models with the capability `negativePrompt`. */
            negativePrompt?: string;
            /**
             * @description A public https address. The job's last event is sent there, signed with the service's own key (`v1a`), in at most 6 tries.
             * @example https://example.com/hooks/lamppost
             */
            webhookUrl?: string;
        };
        WalletBalanceAnswer: {
            /** @description In checksum form. */
            wallet: string;
            /** @description Prepaid balance, in micro-USD. */
            balanceMicro: number;
            /** @description The money that is reserved for keys of the wallet. */
            reservedMicro: number;
        };
        WalletTransaction: {
            id: string;
            /**
             * @description The kind shows the direction, because amounts are positive.
             * @enum {string}
             */
            kind: "top_up" | "debit" | "refund";
            amountMicro: number;
            balanceAfterMicro: number;
            /** @description Only for the wallet itself, which must sign in to see it. */
            chargeId?: string;
            /** @description Only for the wallet itself. */
            modelId?: string;
            /** @description The transaction on chain. */
            transaction?: string;
            /** @description Its network. */
            network?: string;
            /** Format: date-time */
            createdAt: string;
        };
        WalletTransactionsAnswer: {
            /** @description In checksum form. */
            wallet: string;
            /** @description Newest first. */
            transactions: components["schemas"]["WalletTransaction"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        WebhookAnswer: {
            id: string;
            url: string;
            /** @description The events that it receives. */
            types: string[];
            enabled: boolean;
            /**
             * @description The reason why it is disabled: you disabled it, it failed for 24 hours, it answered 410, or the member who set its address has left.
             * @enum {string}
             */
            disabledReason?: "owner" | "failing" | "gone" | "maker";
            /**
             * Format: date-time
             * @description The time since which every try has failed.
             */
            failingSince?: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The key that set its address. The endpoint ends with this key. */
            keyId?: string;
            /** @description The member of the organisation who set its address. The endpoint ends with this member. */
            madeBy?: string;
        };
        WebhookChangeBody: {
            /**
             * @description The new address for events, also for pending deliveries.
             * @example https://example.com/hooks/lamppost
             */
            url?: string;
            /** @description The types of events to send. */
            types?: ("job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "top_up.failed" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled" | "model.changed" | "model.unavailable" | "model.retired")[];
            /** @description Events that happen while the endpoint is disabled are sent only by a replay. */
            enabled?: boolean;
        };
        WebhookDeliveriesAnswer: {
            /** @description Newest first. */
            deliveries: components["schemas"]["WebhookDeliveryAnswer"][];
            /** @description Send it as `cursor` for the next page; absent on the last page. */
            nextCursor?: string;
        };
        WebhookDeliveryAnswer: {
            /** @description The `webhook-id` of all its tries. */
            eventId: string;
            /** @description The type of the event. */
            type: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** @description The number of tries. */
            tries: number;
            /** @description The HTTP status of the last answer. */
            lastStatus?: number;
            /** @description The reason why there was no answer, or no further try. */
            lastError?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastTriedAt?: string;
            /**
             * Format: date-time
             * @description The time of the next try, if the delivery is pending.
             */
            nextTryAt?: string;
        };
        WebhookTestAnswer: {
            /** @description Whether the endpoint accepted the message of the type `webhook.test`. */
            delivered: boolean;
            /** @description The `webhook-id` that was sent. */
            eventId: string;
            /** @description The HTTP status of the endpoint's answer. */
            status?: number;
            /** @description The reason why there was no answer. */
            error?: string;
        };
        WebhookWithSecretAnswer: {
            id: string;
            url: string;
            /** @description The events that it receives. */
            types: string[];
            enabled: boolean;
            /**
             * @description The reason why it is disabled: you disabled it, it failed for 24 hours, it answered 410, or the member who set its address has left.
             * @enum {string}
             */
            disabledReason?: "owner" | "failing" | "gone" | "maker";
            /**
             * Format: date-time
             * @description The time since which every try has failed.
             */
            failingSince?: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The key that set its address. The endpoint ends with this key. */
            keyId?: string;
            /** @description The member of the organisation who set its address. The endpoint ends with this member. */
            madeBy?: string;
            /** @description The secret that signs messages (`v1`). It is shown only now, so keep it in a safe place. */
            secret: string;
        };
        WebhooksAnswer: {
            /** @description Oldest first. */
            webhooks: components["schemas"]["WebhookAnswer"][];
        };
        AccountAnswer: {
            /** @description The id of the signed-in person. */
            id: string;
            email: string;
            /** @description True if keys, invites, second factors, closing and top-ups wait for the proof of the address. */
            proofDue: boolean;
            /** @description The organisation that you act for: its are the balances. */
            organisation: components["schemas"]["ActedFor"];
            /** @description The amount that calls may spend, in micro-USD. */
            balanceMicro: number;
            /** @description The money that is reserved for keys and for running calls. */
            reservedMicro: number;
            /** Format: date-time */
            createdAt: string;
        };
        ActedFor: {
            id: string;
            /** @description The name of the organisation; for your own one, your email address. */
            name: string;
            /**
             * @description Your role in the organisation.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            /** @description The permissions of your role: routes of the account by name, and the whole agent API as one entry to read and one to change. */
            may: ("DELETE /v1/account/billing/address" | "DELETE /v1/account/billing/auto-top-up/card" | "DELETE /v1/account/keys/:id" | "DELETE /v1/account/organisations/:org/invites/:invite" | "DELETE /v1/account/organisations/:org/members/:member" | "GET /v1/account" | "GET /v1/account/alerts" | "GET /v1/account/billing/address" | "GET /v1/account/billing/auto-top-up" | "GET /v1/account/billing/top-ups" | "GET /v1/account/billing/top-ups/:id" | "GET /v1/account/billing/transactions" | "GET /v1/account/billing/transactions.csv" | "GET /v1/account/jobs" | "GET /v1/account/keys" | "GET /v1/account/organisations/:org/audit" | "GET /v1/account/organisations/:org/audit.csv" | "GET /v1/account/organisations/:org/close" | "GET /v1/account/organisations/:org/invites" | "GET /v1/account/organisations/:org/members" | "GET /v1/account/requests" | "GET /v1/account/requests.csv" | "GET /v1/account/requests/histogram" | "GET /v1/account/usage" | "GET /v1/account/webhooks/:id/tries" | "PATCH /v1/account/keys/:id" | "PATCH /v1/account/organisations/:org" | "PATCH /v1/account/organisations/:org/members/:member" | "POST /v1/account/billing/auto-top-up/card" | "POST /v1/account/billing/top-up" | "POST /v1/account/keys" | "POST /v1/account/keys/:id/rotate" | "POST /v1/account/organisations/:org/close" | "POST /v1/account/organisations/:org/invites" | "PUT /v1/account/alerts" | "PUT /v1/account/billing/address" | "PUT /v1/account/billing/auto-top-up" | "PUT /v1/account/organisations/:org/members/:member/budget" | "change /v1/agent" | "read /v1/agent")[];
        };
        ActorAnswer: {
            id: string;
            email?: string;
        };
        AddressProofBody: {
            /** @description The part of the mailed link after `#prove=`. */
            token: string;
        };
        AdminAccount: {
            id: string;
            /** @description The email address of a person's account. */
            email?: string;
            /** @description The name of an organisation that several people can share. */
            name?: string;
            balanceMicro: number;
            /** Format: date-time */
            createdAt: string;
            /** @description Null while the account is open. */
            bannedAt: string | null;
            /**
             * Format: date-time
             * @description The time at which its owner closed it.
             */
            closedAt?: string;
            /** @description True if keys, invites, second factors, closing and top-ups wait for the proof of the address. */
            proofDue: boolean;
        };
        AdminAccountsAnswer: {
            /** @description Newest first. */
            accounts: components["schemas"]["AdminAccount"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        AdminChannel: {
            channelId: string;
            network: string;
            payer: string;
            /** @description The total that was charged. */
            chargedMicro: number;
            /** @description The total that was claimed on the chain. */
            claimedMicro: number;
            /** @description The total that was deposited. */
            balanceMicro: number;
            /** @description The payer withdraws, so no call runs. */
            withdrawalPending: boolean;
            /** Format: date-time */
            usedAt: string;
        };
        AdminChannelNetwork: {
            network: string;
            /** @description False if new channels are no longer offered and only existing ones remain. */
            offered: boolean;
            /** @description Channels that hold money. */
            open: number;
            /** @description Charged and not claimed yet, in micro-USD. */
            owedMicro: number;
            /** @description Claimed so far. */
            claimedMicro: number;
            /** @description Owed by channels whose payer withdraws, whose claim was refused, whose balance is too small, or that name another signer. */
            atRiskMicro: number;
            /** @description Deposited and not charged. */
            unspentMicro: number;
            /** Format: date-time */
            lastClaimAt?: string;
            /** @description The transaction of the last claim. */
            lastClaim?: string;
        };
        AdminChannelsAnswer: {
            networks: components["schemas"]["AdminChannelNetwork"][];
            /** @description In the order of their ids. */
            channels: components["schemas"]["AdminChannel"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        AdminCharge: {
            id: string;
            /** @enum {string} */
            state: "held" | "settling" | "charged" | "refunded" | "released";
            /** @enum {string} */
            rail: "channel" | "x402" | "api-key" | "wallet";
            operation: string;
            payer: string;
            keyId?: string;
            modelId?: string;
            priceMicro: number;
            jobId?: string;
            /**
             * Format: date-time
             * @description The time at which the process of a held charge counts as dead.
             */
            leaseUntil?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            settledAt?: string;
            /** Format: date-time */
            refundedAt?: string;
        };
        AdminChargesAnswer: {
            /** @description Newest first. */
            charges: components["schemas"]["AdminCharge"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        AdminHeldPrice: {
            vendor: string;
            /** @description The vendor's own name of the model. */
            model: string;
            /** @description The price that waits for an agreement. */
            rates: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
        };
        AdminModel: {
            id: string;
            name: string;
            /** @description Further names of the model in calls. */
            aliases?: string[];
            /** @enum {string} */
            kind: "text" | "media" | "audio";
            /** @description The provider of the first route. */
            vendor: string;
            /** @description Whether a vendor's list has added it to the catalog. */
            isListed: boolean;
            forSale: boolean;
            /** @description Why it is not for sale. */
            why?: string;
            /** @description Whether an operator switched it off. A switch sells it again. */
            switchedOff: boolean;
            /** @description The unit of the cost and of the price. */
            unit: string;
            /** @description In decimal USD, by kind of token, or by size. At the dearest route that calls go to. */
            cost?: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
            /** @description The same, as callers pay it. */
            price?: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
            /** @description Set if any kind of token sells for less than it costs. */
            isBelowCost?: boolean;
            /** @description The price of `/v1/agent/chat`. For a model of the catalog, wallets and channels also pay it by usage. */
            chatPrice?: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
            /** @description Prices that are too far from the last ones. */
            held: components["schemas"]["AdminHeldPrice"][];
            /** @description Held prices to which an operator agreed. */
            agreed: components["schemas"]["AdminHeldPrice"][];
            /** @description In the order in which calls try them, then those that an operator left out. */
            routes: components["schemas"]["AdminModelRoute"][];
            private: boolean;
            adultsOnly: boolean;
            /** @description What operators changed. */
            changes: components["schemas"]["AdminModelChanges"];
        };
        AdminModelChanges: {
            markup?: string;
            rates?: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
            belowCost?: boolean;
            private?: boolean;
            adultsOnly?: boolean;
            routes?: {
                provider: string;
                model: string;
                leftOut?: boolean;
            }[];
        };
        AdminModelProblem: {
            id: string;
            /** @description Why it did not change. */
            message: string;
        };
        AdminModelRoute: {
            provider: string;
            model: string;
            /** @description The vendor's prices, if the service knows them. */
            cost?: {
                [key: string]: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            };
            /** @description Set if the vendor's list lacks it, so that no call goes there. */
            isGone?: boolean;
            /** @description Set if an operator left it out, so that no call goes there. */
            isLeftOut?: boolean;
            /** @description How it raises the price, in words. Leave it out in `routes`, and the model costs less. */
            raisesPrice?: string;
        };
        AdminModelsAnswer: {
            models: components["schemas"]["AdminModel"][];
            /** @description The usual factor from the cost to the price of a model of a list. */
            markup: string;
            /** @description The lists of the vendors. */
            lists: components["schemas"]["AdminVendorList"][];
        };
        AdminPayment: {
            id: string;
            /** @enum {string} */
            state: "open" | "credited" | "closed";
            /** @description The reason why it bought no credits. */
            outcome: string;
            processor: string;
            /** @description The processor's own name for the payment. */
            reference: string;
            topUpId?: string;
            /** @description The account that ordered the top-up; absent if it is unknown. */
            accountId?: string;
            /** @description The paid amount, in millionths of the currency. */
            amountMicro?: number;
            currency?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            resolvedAt?: string;
        };
        AdminPaymentsAnswer: {
            /** @description Newest first. */
            payments: components["schemas"]["AdminPayment"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        AdminRoute: {
            provider: string;
            /** @description The provider's own name of the model. */
            model: string;
            /**
             * @description The circuit breaker. `open` routes rest, `half-open` ones get one call, `paused` ones hit a rate limit.
             * @enum {string}
             */
            state: "closed" | "open" | "half-open" | "paused";
            /** @description Calls of the last five minutes. */
            calls: number;
            /** @description Failed calls among them. */
            failures: number;
            /** @description A moving average to the first piece or the answer. */
            speedMs?: number;
            /** @description The seconds for which the vendor still asks us to wait. */
            pausedSeconds: number;
        };
        AdminRoutedModel: {
            id: string;
            /** @enum {string} */
            routing: "listed" | "weighted" | "cheapest" | "fastest";
            /** @description Whether its last day has passed. */
            isRetired: boolean;
            /** @description The routes whose provider is on, in the order of the catalog. */
            routes: components["schemas"]["AdminRoute"][];
        };
        AdminRoutesAnswer: {
            models: components["schemas"]["AdminRoutedModel"][];
        };
        AdminSwitch: {
            /** @enum {string} */
            kind: "model" | "provider";
            name: string;
            /** @description Whether it is sold, or gets new work. */
            isOn: boolean;
            /** @description The reason why it is off. */
            reason?: string;
            /** Format: date-time */
            since?: string;
        };
        AdminSwitchesAnswer: {
            /** @description Providers that are set up, and models that can be sold. */
            switches: components["schemas"]["AdminSwitch"][];
        };
        AdminVendorList: {
            vendor: string;
            /**
             * Format: date-time
             * @description When it was read. If it has no models, when the vendor first refused to list them.
             */
            readAt: string;
            /** @description Whether it was not read for more than a day. It still decides what is for sale. */
            isOld: boolean;
            /** @description Why the vendor did not list its models the last time. */
            problem?: string;
            models: number;
            /** @description Models that its newest list lacks. They stay for sale until it lacks them three times, or an operator agrees. */
            missing: number;
            /** @description The names of at most 50 of them. */
            missingModels: string[];
        };
        AuditAnswer: {
            /** @description Newest first. */
            entries: components["schemas"]["AuditLine"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        AuditEntryAnswer: {
            id: string;
            /** Format: date-time */
            at: string;
            who: components["schemas"]["ActorAnswer"];
            /** @enum {string} */
            action: "address.changed" | "alerts.changed" | "auto_top_up.changed" | "card.opened" | "card.removed" | "invite.made" | "invite.withdrawn" | "job.cancelled" | "key.changed" | "key.deleted" | "key.made" | "key.rotated" | "member.budget" | "member.changed" | "member.joined" | "member.left" | "member.removed" | "organisation.closed" | "organisation.made" | "organisation.renamed" | "reference.deleted" | "reference.stored" | "top_up.opened" | "webhook.changed" | "webhook.deleted" | "webhook.made" | "webhook.rotated";
            /** @description A text about the action. */
            text: string;
            /** @description The object of the action. */
            subject?: string;
            /** @description The IP address of the call. */
            ip: string;
            requestId: string;
        };
        AuditLine: {
            id: string;
            /** @enum {string} */
            action: "ban" | "unban" | "credit" | "close_payment" | "refused" | "reset_link" | "retry_webhook" | "switch_off" | "switch_on" | "change_model" | "agree_price";
            /** @description Absent if the action concerns no account. */
            accountId?: string;
            /** @description The object of the action, such as `model ember-image`. */
            subject?: string;
            amountMicro?: number;
            /** @description With the changes of a model in words. */
            reason?: string;
            /** @description The name of the operator. */
            operator?: string;
            requestId: string;
            ip: string;
            /** Format: date-time */
            createdAt: string;
        };
        AutoTopUpAnswer: {
            /** @description False if this service saves no cards. */
            available: boolean;
            enabled: boolean;
            /** @description The saved card: its brand, last digits and expiry. */
            card?: string;
            belowUsd?: number;
            amountUsd?: number;
            monthUsd?: number;
            /** @description Charged in this month of UTC, in micro-USD. */
            usedMicro: number;
            /** @description Failed charges since the last good one. The third one switches it off. */
            failures: number;
            /** @description The reason of the last failure, such as declined. */
            lastFailure?: string;
        };
        AutoTopUpBody: {
            enabled: boolean;
            /**
             * @description The card is charged when the balance is below this, in USD.
             * @example 5
             */
            belowUsd: number;
            /**
             * @description What is charged each time, in USD.
             * @example 25
             */
            amountUsd: number;
            /**
             * @description The most in a month of UTC, in USD.
             * @example 100
             */
            monthUsd: number;
        };
        BanBody: {
            /** @description The audit keeps this text. */
            reason?: string;
        };
        BilledTopUpAnswer: {
            id: string;
            /** @enum {string} */
            state: "pending" | "paid" | "refused" | "refunded" | "partly_refunded";
            /** @description In micro-USD. */
            amountMicro: number;
            /** @description The amount that the processor has returned to the card. */
            refundedMicro: number;
            /**
             * @description In the sandbox nobody pays.
             * @enum {string}
             */
            processor: "sandbox" | "stripe";
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was paid or refused.
             */
            decidedAt?: string;
            /** @description Made when it is paid, and never changed. Absent for other top-ups, and for those before this version. */
            invoice?: components["schemas"]["InvoiceAnswer"];
        };
        BilledTopUpsAnswer: {
            /** @description Newest first. */
            topUps: components["schemas"]["BilledTopUpAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        BillingAddressAnswer: {
            /** @description Absent until it is set. */
            address?: components["schemas"]["BillingAddressBody"];
        };
        BillingAddressBody: {
            /**
             * @description A person or a company.
             * @example Acme Robots Ltd
             */
            name: string;
            /**
             * @description Street, postcode and city, with line breaks.
             * @example 1 Lamp Street
             *     London N1
             */
            lines: string;
            /**
             * @description Two letters of ISO 3166.
             * @example GB
             */
            country: string;
            /**
             * @description A VAT number, say.
             * @example GB123456789
             */
            taxId?: string;
        };
        CardPageAnswer: {
            /** @description Where the person saves the card. */
            checkoutUrl: string;
        };
        CloseBody: {
            password: string;
            /** @description With an authenticator app: its six digits, or a recovery code. */
            code?: string;
            /** @description The balance that you leave behind, as `previewAccountClosing` or `previewOrganisationClosing` shows it. */
            leaveMicro: number;
        };
        ClosedAnswer: {
            ok: boolean;
            /** @description The balance that was left, in micro-USD. */
            leftMicro: number;
        };
        ClosingAnswer: {
            /** @description The balance that would be left, in micro-USD. */
            leaveMicro: number;
            /** @description The organisations that end: your own, and those without other members. */
            organisations: components["schemas"]["EndingOrganisation"][];
            /** @description Organisations with other members, of which you are the last owner. Each needs another one first. */
            needOwner: components["schemas"]["OwnerlessOrganisation"][];
        };
        ClosingOrganisationAnswer: {
            id: string;
            name: string;
            /** @description The balance that would be left behind, reserved money included, in micro-USD. */
            leaveMicro: number;
            /** @description Other people who lose their access. */
            otherMembers: number;
            /** @description Keys that are deleted. */
            keys: number;
        };
        CodeBody: {
            /** @description Six digits of the app. */
            code: string;
        };
        CreditBody: {
            /** @description The amount to credit, in micro-USD; at most $10,000. */
            amountMicro: number;
            /** @description The audit keeps this text. */
            reason: string;
        };
        CreditTopUpAnswer: {
            /** @description The page on which the person pays. */
            checkoutUrl: string;
            topUpId: string;
        };
        CreditTopUpBody: {
            /**
             * @description In USD, in whole cents.
             * @example 25
             */
            usd: number;
        };
        CreditTransactionsAnswer: {
            /** @description Newest first. */
            transactions: components["schemas"]["CreditTransaction"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        DayMargin: {
            /** @description Charged calls. */
            calls: number;
            /** @description Charges, without those that were refunded. */
            revenueMicro: number;
            /** @description The cost at vendors, by their answers or by the rates of the catalog. */
            costMicro: number;
            /** @description Revenue minus cost. */
            marginMicro: number;
            /** @description A day of UTC. */
            day: string;
            /** @description Empty for charges without a model. */
            modelId: string;
            routes: components["schemas"]["RouteCostLine"][];
        };
        DriftAnswer: {
            /** @description The drift at this moment, read for this answer. */
            now: components["schemas"]["DriftReading"];
            /** @description The last reading of this process before it. */
            last?: components["schemas"]["DriftReading"];
        };
        DriftReading: {
            /** Format: date-time */
            at: string;
            /** @description Micro-USD by ledger. Anything but 0 is an incident. */
            driftMicro: {
                [key: string]: number;
            };
        };
        EndingOrganisation: {
            id: string;
            name: string;
            /** @description Whether it is your own account. */
            personal: boolean;
            /** @description Other people who lose their access. */
            otherMembers: number;
            /** @description The balance, reserved money included. */
            balanceMicro: number;
        };
        ForgotBody: {
            /**
             * Format: email
             * @example you@example.com
             */
            email: string;
        };
        InviteAnswer: {
            id: string;
            /** @enum {string} */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            email?: string;
            /** @description Whether the link was sent by mail to this address alone. If not, the address is not proven. */
            emailProven: boolean;
            /** @description The member who made the invite. */
            invitedBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        InviteOfferAnswer: {
            /** @description The name of the organisation. */
            organisation: string;
            /** @description The email address of the member who invites. */
            invitedBy: string;
            /**
             * @description The role after joining.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            /** @description The only address that may accept it. */
            email?: string;
            /** Format: date-time */
            expiresAt: string;
        };
        InvitesAnswer: {
            /** @description Invites that can still be used, newest first. */
            invites: components["schemas"]["InviteAnswer"][];
        };
        InvoiceAnswer: {
            /** @description Runs over all invoices of the service without a gap. */
            number: number;
            /** Format: date-time */
            issuedAt: string;
            /** @description Absent if the operator had set no name. */
            seller?: components["schemas"]["SellerAnswer"];
            /** @description The billing address at the payment, if there was one. */
            buyer?: components["schemas"]["BillingAddressBody"];
        };
        JobListAnswer: {
            /** @description Newest first. */
            jobs: components["schemas"]["ListedJob"][];
        };
        JoinedAnswer: {
            organisation: components["schemas"]["OrganisationAnswer"];
        };
        KeyAnswer: {
            id: string;
            name: string;
            /** @description The beginning of the key. */
            prefix: string;
            /** @enum {string} */
            state: "active" | "disabled" | "expired";
            enabled: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description Null is never. */
            expiresAt: string | null;
            /** @description Null is no limit. */
            spendLimitMicro: number | null;
            /** @description Calls that were paid with it, ever. */
            requestCount: number;
            /** @description Spent in the last 30 days. */
            spend30dMicro: number;
            /** @description The time of the last call that this key paid. */
            lastUsedAt: string | null;
            /** @description The limits of its spending in a day, in a month, and in its whole life. */
            spendLimits: components["schemas"]["SpendLimitsBody"];
            /** @description The scopes of the key. A scope that is left out is not limited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description The amount spent in its whole life, with the reserves of keys below it. */
            spentMicro: number;
            /** @description The most that calls with it and with the keys below it can still spend today, from the present balance. */
            mayLoseTodayMicro: number;
            /** @description Spent on each of the last 30 days of UTC, in micro-USD; the last one is today. */
            days: number[];
            /** @description The earlier secret, while the key has two. */
            previousSecret?: components["schemas"]["PreviousSecret"];
            /** @description The number of delegations between the owner and this key; 0 is a key of your own. */
            depth: number;
            /** @description The key that made it. */
            parentId?: string;
            /** @description The rest of the reserve of this key. */
            reserveLeftMicro?: number;
            /** @description The id of the member who made the key. */
            madeBy?: string;
            /** @description The app that a person has connected; absent for other keys. */
            app?: components["schemas"]["KeyAppAnswer"];
        };
        KeyChangeBody: {
            name?: string;
            enabled?: boolean;
            /** @description Days from now until it expires; null is never. */
            expiresInDays?: (30 | 90 | 365) | null;
            /** @description The limit of its spending in 30 days, in micro-USD; null is no limit. */
            spendLimitMicro?: number | null;
            /** @description The limits of its spending in a day, in a month, and in its whole life. Null removes all limits. */
            spendLimits?: {
                /** @description In a day of UTC. */
                dayMicro?: number;
                /** @description In a month of UTC. */
                monthMicro?: number;
                /** @description In its whole life. */
                totalMicro?: number;
            } | null;
            /** @description The scopes of the key. A scope that is left out is not limited. Null removes all scopes. */
            scopes?: {
                /** @description The routes that the key may call: `read` is models, quotes, balance, own jobs, events and receipts; `studio` is /v1/chat/completions, /v1/responses, /v1/messages and /v1/models/{call}. */
                routes?: ("chat" | "studio" | "image" | "video" | "audio" | "references" | "read" | "keys" | "webhooks" | "cancel")[];
                /** @description The ids of the models. */
                models?: string[];
                /** @description The most that one call may cost, in micro-USD. */
                priceMicroMax?: number;
                /** @description Networks that calls may come from, in CIDR. */
                ips?: string[];
                /** @description Calls in a minute. */
                perMinute?: number;
            } | null;
        };
        KeysAnswer: {
            /** @description Newest first. */
            keys: components["schemas"]["KeyAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        ListedJob: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description The address of the medium, once the job is done. */
            url?: string;
            /** @description The addresses of all results of a call with `n`; the first is `url`. */
            urls?: string[];
            /** @description The reason of the failure. */
            error?: string;
            /**
             * @description The error code of the failure, for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "POLICY_BLOCKED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description The references that the job uses, if the call asked for references. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description The tag of the call. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
        };
        ManyModelsAnswer: {
            /** @description The models, after the change. */
            models: components["schemas"]["AdminModel"][];
            problems: components["schemas"]["AdminModelProblem"][];
        };
        ManyModelsPatchBody: {
            /** @description Null restores the default. */
            forSale?: boolean | null;
            /**
             * @description The factor from the cost to the price. Null restores the default.
             * @example 3/2
             */
            markup?: string | null;
            /** @description The price, in decimal USD of a million tokens. Null restores the default. */
            rates?: {
                inputUsdPerMtok: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                outputUsdPerMtok: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheReadUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheWriteUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheWrite1hUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                inputImageUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                inputAudioUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                outputAudioUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            } | null;
            /** @description Says that the markup or the rates may be below the cost. */
            belowCost?: boolean;
            /** @description Null restores the default. */
            private?: boolean | null;
            /** @description Null restores the default. */
            adultsOnly?: boolean | null;
            /** @description The routes to try first, in this order, then the others. No call goes to a route with `leftOut: true`, and the price need not cover its cost. Null restores the default. */
            routes?: {
                provider: string;
                model: string;
                leftOut?: boolean;
            }[] | null;
            /** @description The held price to sell at, as the list shows it. Null undoes the agreements of the model. */
            agree?: {
                vendor: string;
                model: string;
                rates: {
                    [key: string]: string | {
                        base: string;
                        above: {
                            tokens: number;
                            usd: string;
                        }[];
                    };
                };
            } | null;
            /** @description The audit keeps this text. */
            reason?: string;
            /** @description The ids of the models. */
            ids: string[];
        };
        MarginsAnswer: {
            from: string;
            to: string;
            /** @description The lowest margin first. */
            models: components["schemas"]["ModelMargin"][];
            /** @description Newest first. */
            days: components["schemas"]["DayMargin"][];
        };
        MemberAnswer: {
            /** @description The id of the member's account. */
            id: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            /** Format: date-time */
            joinedAt: string;
            /** @description The operator has closed it. */
            closed: boolean;
            /** @description This month (UTC), by session and by the keys that they made, in micro-USD. Owners and admins see it of all members, others of themselves. */
            spentMicro?: number;
            /** @description What they may spend in a month (UTC), in micro-USD; null is no limit. Shown to the same members. */
            budgetMicro?: number | null;
        };
        MemberBody: {
            /**
             * @description Only owners make and unmake owners.
             * @example viewer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
        };
        MemberBudgetBody: {
            /**
             * @description What they may spend in a month (UTC), in micro-USD; null removes the limit.
             * @example 20000000
             */
            budgetMicro: number | null;
        };
        MembersAnswer: {
            /** @description In the order in which they joined. */
            members: components["schemas"]["MemberAnswer"][];
        };
        ModelMargin: {
            /** @description Charged calls. */
            calls: number;
            /** @description Charges, without those that were refunded. */
            revenueMicro: number;
            /** @description The cost at vendors, by their answers or by the rates of the catalog. */
            costMicro: number;
            /** @description Revenue minus cost. */
            marginMicro: number;
            /** @description Empty for charges without a model. */
            modelId: string;
            /**
             * @description Whether the model sold below cost in these days.
             * @enum {string}
             */
            status: "ok" | "below-cost";
        };
        ModelPatchBody: {
            /** @description Null restores the default. */
            forSale?: boolean | null;
            /**
             * @description The factor from the cost to the price. Null restores the default.
             * @example 3/2
             */
            markup?: string | null;
            /** @description The price, in decimal USD of a million tokens. Null restores the default. */
            rates?: {
                inputUsdPerMtok: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                outputUsdPerMtok: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheReadUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheWriteUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                cacheWrite1hUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                inputImageUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                inputAudioUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
                outputAudioUsdPerMtok?: string | {
                    base: string;
                    above: {
                        tokens: number;
                        usd: string;
                    }[];
                };
            } | null;
            /** @description Says that the markup or the rates may be below the cost. */
            belowCost?: boolean;
            /** @description Null restores the default. */
            private?: boolean | null;
            /** @description Null restores the default. */
            adultsOnly?: boolean | null;
            /** @description The routes to try first, in this order, then the others. No call goes to a route with `leftOut: true`, and the price need not cover its cost. Null restores the default. */
            routes?: {
                provider: string;
                model: string;
                leftOut?: boolean;
            }[] | null;
            /** @description The held price to sell at, as the list shows it. Null undoes the agreements of the model. */
            agree?: {
                vendor: string;
                model: string;
                rates: {
                    [key: string]: string | {
                        base: string;
                        above: {
                            tokens: number;
                            usd: string;
                        }[];
                    };
                };
            } | null;
            /** @description The audit keeps this text. */
            reason?: string;
        };
        NewInviteAnswer: {
            id: string;
            /** @enum {string} */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            email?: string;
            /** @description Whether the link was sent by mail to this address alone. If not, the address is not proven. */
            emailProven: boolean;
            /** @description The member who made the invite. */
            invitedBy: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Send this link to the invited person. It is shown only now, and works once. Absent if the service sent it by mail. */
            inviteUrl?: string;
        };
        NewInviteBody: {
            /**
             * @description Only owners invite owners.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            /**
             * Format: email
             * @description The email address of the invited person, to which the link is sent. If the service sends no mail, this address only keeps out accounts with other addresses. It then proves nothing, because anybody can register an address.
             * @example bob@example.com
             */
            email?: string;
        };
        NewKeyAnswer: {
            id: string;
            name: string;
            /** @description The key itself. It is never shown again: keep it in a safe place. */
            key: string;
            /** @description Its beginning, to distinguish keys. */
            prefix: string;
            /** @description Null is never. */
            expiresAt: string | null;
            enabled: boolean;
        };
        NewKeyBody: {
            /** @example my agent */
            name: string;
            /**
             * @description Days from now until it expires; null is never.
             * @example 90
             */
            expiresInDays: (30 | 90 | 365) | null;
            /** @description The limit of its spending in 30 days, in micro-USD; null is no limit. */
            spendLimitMicro?: number | null;
            /** @description The limits of its spending in a day, in a month, and in its whole life. */
            spendLimits?: components["schemas"]["SpendLimitsBody"];
            /** @description The scopes of the key. A scope that is left out is not limited. */
            scopes?: components["schemas"]["KeyScopesBody"];
        };
        NewOrganisationBody: {
            /** @example Acme Robots */
            name: string;
        };
        OrganisationAnswer: {
            /** @description The id of the organisation, for the header `X-Organisation`. */
            id: string;
            /** @description The name of the organisation; for your own one, your email address. */
            name: string;
            /**
             * @description Your role in the organisation.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "billing" | "viewer";
            /** @description Your own, which is your account. */
            personal: boolean;
            /** @description The operator has closed it. */
            closed: boolean;
            /** Format: date-time */
            createdAt: string;
        };
        OrganisationAuditAnswer: {
            /** @description Newest first. */
            entries: components["schemas"]["AuditEntryAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        OrganisationsAnswer: {
            /** @description Your own first. */
            organisations: components["schemas"]["OrganisationAnswer"][];
        };
        OwnerlessOrganisation: {
            id: string;
            name: string;
        };
        PasskeyAnswer: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description The last sign-in with it.
             */
            usedAt?: string;
        };
        PasskeyBody: {
            /**
             * @description A name by which you recognise it.
             * @example My phone
             */
            name: string;
            /** @description The result of `navigator.credentials.create`, as JSON. */
            response: {
                id?: string;
                rawId?: string;
                /** @enum {string} */
                type?: "public-key";
                response?: {
                    [key: string]: unknown;
                };
                clientExtensionResults?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
        };
        PasskeyOptionsAnswer: {
            /** @description For `navigator.credentials`, as JSON. */
            options: {
                [key: string]: unknown;
            };
        };
        PasskeyRemovalBody: {
            password: string;
            /** @description With an authenticator app: its six digits, or a recovery code. */
            code?: string;
            id: string;
        };
        PasskeySignInBody: {
            /** @description The result of `navigator.credentials.get`, as JSON. */
            response: {
                id?: string;
                rawId?: string;
                /** @enum {string} */
                type?: "public-key";
                response?: {
                    [key: string]: unknown;
                };
                clientExtensionResults?: {
                    [key: string]: unknown;
                };
            } & {
                [key: string]: unknown;
            };
        };
        PasswordBody: {
            current: string;
            /** @description At least 10 characters. */
            next: string;
            /** @description With an authenticator app: its six digits, or a recovery code. */
            code?: string;
        };
        PaymentCloseBody: {
            /** @description The audit keeps this text. */
            reason: string;
        };
        PaymentCreditBody: {
            /** @description The account to credit, if the payment does not name one. */
            accountId?: string;
            /** @description The amount to credit, in micro-USD. Default: the paid amount, if it was in dollars. */
            amountMicro?: number;
            /** @description The audit keeps this text. */
            reason: string;
        };
        PreviousSecret: {
            /**
             * Format: date-time
             * @description The time at which the secret ends.
             */
            worksUntil: string;
            /** @description The time of the last call with this secret since the change. */
            lastUsedAt: string | null;
            /** @description The time of the last call with the new secret. */
            newLastUsedAt: string | null;
        };
        ProofBody: {
            password: string;
            /** @description With an authenticator app: its six digits, or a recovery code. */
            code?: string;
        };
        QueueFailureLine: {
            queue: string;
            /** @description The job: `refund-sweep`, say. */
            job: string;
            /** Format: date-time */
            at: string;
            /** @description The message of the failure. */
            reason: string;
        };
        QueuesAnswer: {
            /** @description Entries by queue and state. */
            queues: {
                [key: string]: {
                    [key: string]: number;
                };
            };
            /** @description Jobs that failed of late, newest first. The next run tries again. */
            failures: components["schemas"]["QueueFailureLine"][];
        };
        RecoveryCodesAnswer: {
            /** @description Each replaces one code of the app, once. They are never shown again. */
            recoveryCodes: string[];
        };
        RegisterBody: {
            /**
             * Format: email
             * @example you@example.com
             */
            email: string;
            /** @description At least 10 characters. */
            password: string;
        };
        RequestBucketAnswer: {
            /**
             * Format: date-time
             * @description The beginning of the step.
             */
            at: string;
            ok: number;
            running: number;
            /** @description Failed and refunded calls. */
            failed: number;
            /** @description Refused calls with a note in the log. */
            refused: number;
        };
        RequestHistogramAnswer: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            /** @description The length of each bucket. */
            bucketSeconds: number;
            /** @description All buckets, oldest first, also empty ones. */
            buckets: components["schemas"]["RequestBucketAnswer"][];
            /** @description At most the newest 10,000 calls are counted. Then this is the first counted moment; else null. */
            countedSince: string | null;
            /** @description All refused calls in the hours of this time, whatever the filter. Only a sample of them is listed: 60 at once, then one in five seconds. Null for callers who see only their own calls. */
            refusals: number | null;
        };
        ResetAnswer: {
            ok: boolean;
            /** @description The passkeys of the account, which stay valid. */
            passkeys: number;
        };
        ResetBody: {
            /** @description The part of the link after `#`. */
            token: string;
            /** @description At least 10 characters. */
            password: string;
        };
        ResetLinkAnswer: {
            /** @description Send this link only to the person. It works once. */
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        ResetLinkBody: {
            /** @description How you verified that the person asks for it. The audit keeps this text. */
            reason: string;
            /**
             * @description Removes the authenticator app as well, for a person who lost it and the recovery codes.
             * @default false
             */
            removeSecondFactor: boolean;
        };
        RotateBody: {
            /**
             * @description The seconds for which the present secret stays valid. With 0 it ends at once, and so do the keys below.
             * @example 3600
             */
            overlapSeconds: number;
        };
        RouteCostLine: {
            provider: string;
            /** @description The provider's own name of the model. */
            model: string;
            /** @description Calls that were sent to this route. */
            calls: number;
            /** @description Calls among them whose answer was not used. */
            unusedCalls: number;
            costMicro: number;
            /** @description The part of `costMicro` that the vendor's answers named. */
            reportedMicro: number;
        };
        SecondFactorAnswer: {
            /** @description Whether a sign-in with the password needs a code. */
            on: boolean;
            /** Format: date-time */
            since?: string;
            recoveryCodesLeft: number;
        };
        SecondFactorStartAnswer: {
            /** @description For typing into the app. */
            secret: string;
            /** @description The `otpauth:` address, for the app. */
            address: string;
            /** @description The same as a QR code, in SVG. */
            qr: string;
        };
        SecurityAnswer: {
            /** @description The authenticator app. */
            secondFactor: components["schemas"]["SecondFactorAnswer"];
            /** @description The newest first. */
            passkeys: components["schemas"]["PasskeyAnswer"][];
            /** @description Whether browsers can make passkeys for the address of this service. */
            passkeysPossible: boolean;
        };
        SellerAnswer: {
            name: string;
            /** @description With line breaks. */
            address?: string;
            taxId?: string;
        };
        SessionAnswer: {
            id: string;
            /** @description The browser, as it names itself. */
            device?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Whether this call belongs to this session. */
            current: boolean;
        };
        SessionsAnswer: {
            /** @description The open sessions, newest first. */
            sessions: components["schemas"]["SessionAnswer"][];
        };
        SignInBody: {
            /**
             * Format: email
             * @example you@example.com
             */
            email: string;
            password: string;
            /** @description With an authenticator app: its six digits, or a recovery code. */
            code?: string;
        };
        SignedInAnswer: {
            id: string;
            email: string;
            /** Format: date-time */
            createdAt: string;
            /** @description True if keys, invites, second factors, closing and top-ups wait for the proof of the address. */
            proofDue: boolean;
        };
        SpendLimitsBody: {
            /** @description In a day of UTC. */
            dayMicro?: number;
            /** @description In a month of UTC. */
            monthMicro?: number;
            /** @description In its whole life. */
            totalMicro?: number;
        };
        SwitchBody: {
            /** @description The audit keeps this text. */
            reason?: string;
        };
        UsageAnswer: {
            from: string;
            to: string;
            /** @description The sum of all lines. */
            spentMicro: number;
            /** @description By day, model and key; the newest day first. */
            usage: components["schemas"]["UsageLine"][];
        };
        UsageLine: {
            /**
             * @description A day of UTC.
             * @example 2026-01-31
             */
            day: string;
            modelId: string | null;
            /** @description Null for calls of a signed-in person. */
            keyId: string | null;
            /** @description Calls that were charged. */
            calls: number;
            spentMicro: number;
            /** @description The tokens of calls that are priced by usage. */
            inputTokens: number;
            outputTokens: number;
        };
        WebhookTriesAnswer: {
            /** @description The newest 20 of the last 7 days, newest first. */
            tries: components["schemas"]["WebhookTryAnswer"][];
        };
        WebhookTryAnswer: {
            id: string;
            /** @description The `webhook-id` that was sent. */
            eventId: string;
            /** @description The type of the event; `webhook.test` is a test. */
            type: string;
            /** Format: date-time */
            at: string;
            /** @description From the beginning of the call to the end of the answer. */
            durationMs: number;
            /** @description The HTTP status of the endpoint's answer. */
            status?: number;
            /** @description The reason why there was no answer. */
            error?: string;
            /** @description The sent body, at most its first 8192 characters. */
            payload: string;
            /** @description The sent headers. */
            requestHeaders: {
                [key: string]: string;
            };
            /** @description At most 20 headers of the answer, without cookies. */
            responseHeaders: {
                [key: string]: string;
            };
            /** @description The beginning of the answer, as plain text. It is not followed. */
            responseBody: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listAnchors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    getCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    listLogs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    getAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsAnswer"];
                };
            };
        };
    };
    setAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertsBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsAnswer"];
                };
            };
        };
    };
    getBalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyBalanceAnswer"];
                };
            };
        };
    };
    getCharge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptAnswer"] | components["schemas"]["ChargeStateAnswer"];
                };
            };
        };
    };
    chat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "choices": [
                     *         {
                     *           "message": {
                     *             "role": "assistant",
                     *             "content": "Hello."
                     *           },
                     *           "finish_reason": "stop"
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 3,
                     *         "completion_tokens": 2
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ChatAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A `nextCursor`, the id of an event, or `now`. Without a cursor the answer begins with the oldest kept event. */
                after?: string;
                /** @description Only these, with commas between them. */
                types?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, or a stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "id": "evt_0mh8x2kqpQ7c2vYb1n0m4Wq.d",
                     *           "type": "job.done",
                     *           "createdAt": "2026-11-22T12:00:03.000Z",
                     *           "data": {
                     *             "id": "job_0mh8x2kqpQ7c2vYb1n0m4Wq",
                     *             "status": "done",
                     *             "url": "https://lamppost.example/media/med_1",
                     *             "modelId": "torch-video",
                     *             "kind": "video",
                     *             "progress": 100,
                     *             "chargeState": "charged",
                     *             "createdAt": "2026-11-22T12:00:00.000Z",
                     *             "finishedAt": "2026-11-22T12:00:03.000Z"
                     *           }
                     *         }
                     *       ],
                     *       "nextCursor": "at_17"
                     *     }
                     */
                    "application/json": components["schemas"]["EventsAnswer"];
                    "text/event-stream": string;
                };
            };
        };
    };
    generate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerateBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "done",
                     *       "url": "https://lamppost.example/media/med_1"
                     *     }
                     */
                    "application/json": (components["schemas"]["MediaDoneAnswer"] | components["schemas"]["MediaRunningAnswer"]) | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    getGuide: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
        };
    };
    imagesGenerations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImagesBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created": 1795257670,
                     *       "data": [
                     *         {
                     *           "url": "https://lamppost.example/media/med_1"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImagesAnswer"] | components["schemas"]["MediaRunningAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                status?: "running" | "done" | "failed";
                /** @description Only those of calls with this `tag`. */
                tag?: string;
                /** @description Only that of the call that was made under this `Idempotency-Key`, for a call whose answer was lost. */
                idempotencyKey?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnJobsAnswer"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAnswer"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnJob"];
                };
            };
        };
    };
    streamJobEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. It ends after the last event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    listDelegatedKeys: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DelegatedKeysAnswer"];
                };
            };
        };
    };
    createDelegatedKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DelegatedKeyBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewDelegatedKeyAnswer"];
                };
            };
        };
    };
    deleteDelegatedKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    getManifest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelsAnswer"];
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    verifyProvenance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProvenanceCheckBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenanceCheckAnswer"];
                };
            };
        };
    };
    getProvenance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenanceAnswer"];
                };
            };
        };
    };
    quote: {
        parameters: {
            query?: {
                /** @description The address of a paid route: then the body is that of the call to it, and the price its own. */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuoteAnswer"];
                };
            };
        };
    };
    listReferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReferencesAnswer"];
                };
            };
        };
    };
    storeReference: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewReferenceBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredReferenceAnswer"];
                };
            };
        };
    };
    searchReferences: {
        parameters: {
            query: {
                /** @description The text to search for. */
                q: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchedReferencesAnswer"];
                };
            };
        };
    };
    deleteReference: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    listOwnRequests: {
        parameters: {
            query?: {
                /** @description Only calls with this key. */
                keyId?: string;
                modelId?: string;
                /** @description Only calls of this person, and of keys that they made. */
                member?: string;
                tag?: string;
                /** @description Only calls of this session. */
                session?: string;
                status?: "ok" | "running" | "refused" | "failed" | "refunded";
                /** @description Only calls that failed with this code. */
                code?: string;
                /** @description The first moment. */
                from?: string;
                /** @description The moment before which it ends. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestsAnswer"];
                };
            };
        };
    };
    getStatement: {
        parameters: {
            query?: {
                /** @description The first moment of it. Default: the beginning. */
                from?: string;
                /** @description The moment before which it ends. Default: now. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementAnswer"];
                };
            };
        };
    };
    getStatus: {
        parameters: {
            query?: {
                window?: "24h" | "7d" | "30d";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusAnswer"];
                };
            };
        };
    };
    createVideo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VideosBody"];
                "multipart/form-data": components["schemas"]["VideosBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "job_1",
                     *       "object": "video",
                     *       "status": "queued",
                     *       "model": "torch-video",
                     *       "size": "1280x720",
                     *       "seconds": "4",
                     *       "created_at": 1795257670,
                     *       "progress": 0
                     *     }
                     */
                    "application/json": components["schemas"]["VideoAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    getVideo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VideoAnswer"];
                };
            };
        };
    };
    getVideoContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhooksAnswer"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecretAnswer"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChangeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookAnswer"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                state?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveriesAnswer"];
                };
            };
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateWebhookBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecretAnswer"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestAnswer"];
                };
            };
        };
    };
    walletBalance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletBalanceAnswer"];
                };
            };
        };
    };
    refundChannel: {
        parameters: {
            query?: {
                /** @description The network of the channel; it is offered first. */
                network?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelRefundAnswer"];
                };
            };
        };
    };
    channel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                channelId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelAnswer"];
                };
            };
        };
    };
    topUp: {
        parameters: {
            query?: {
                /** @description The amount, such as 25 or 25.50. A lower or a higher amount counts as the least or the most. */
                usd?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopUpBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wallet": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *       "topUpMicro": 10000000,
                     *       "balanceMicro": 10000000
                     *     }
                     */
                    "application/json": components["schemas"]["TopUpAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    walletTransactions: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                wallet: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletTransactionsAnswer"];
                };
            };
        };
    };
    createSpeech: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpeechBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": true,
                     *       "modelId": "echo-voice",
                     *       "priceMicro": 4546,
                     *       "rail": "x402"
                     *     }
                     */
                    "application/json": components["schemas"]["DryRunAnswer"];
                    "audio/mpeg": string;
                    "audio/ogg": string;
                    "audio/aac": string;
                    "audio/flac": string;
                    "audio/wav": string;
                    "audio/pcm": string;
                };
            };
        };
    };
    createTranscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["TranscriptionBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "text": "The lamps are lit."
                     *     }
                     */
                    "application/json": components["schemas"]["TranscriptionAnswer"] | components["schemas"]["DryRunAnswer"];
                    "text/plain": string;
                };
            };
        };
    };
    listBatches: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The last id of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchesAnswer"];
                };
            };
        };
    };
    createBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    cancelBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchAnswer"];
                };
            };
        };
    };
    chatCompletions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StudioBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg",
                     *       "object": "chat.completion",
                     *       "created": 1796000000,
                     *       "model": "lumen-flash",
                     *       "choices": [
                     *         {
                     *           "index": 0,
                     *           "message": {
                     *             "role": "assistant",
                     *             "content": "Hello."
                     *           },
                     *           "finish_reason": "stop"
                     *         }
                     *       ],
                     *       "usage": {
                     *         "prompt_tokens": 3,
                     *         "completion_tokens": 2,
                     *         "total_tokens": 5
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["StudioAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The last id of the page before. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchFilesAnswer"];
                };
            };
        };
    };
    createFile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @enum {string} */
                    purpose: "batch";
                    /**
                     * Format: binary
                     * @description JSON lines: 50 MB and 10,000 lines at most.
                     */
                    file: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchFileAnswer"];
                };
            };
        };
    };
    getFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchFileAnswer"];
                };
            };
        };
    };
    deleteFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedFileAnswer"];
                };
            };
        };
    };
    getFileContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": string;
                };
            };
        };
    };
    messages: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessagesBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg",
                     *       "type": "message",
                     *       "role": "assistant",
                     *       "model": "lumen-flash",
                     *       "content": [
                     *         {
                     *           "type": "text",
                     *           "text": "Hello."
                     *         }
                     *       ],
                     *       "stop_reason": "end_turn",
                     *       "stop_sequence": null,
                     *       "usage": {
                     *         "input_tokens": 3,
                     *         "output_tokens": 2,
                     *         "cache_read_input_tokens": 0,
                     *         "cache_creation_input_tokens": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MessagesAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    countMessageTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CountTokensBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CountTokensAnswer"];
                };
            };
        };
    };
    listModelsOpenai: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelListAnswer"] | components["schemas"]["MessagesModelList"];
                };
            };
        };
    };
    getModelOpenai: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                call: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedModel"] | components["schemas"]["MessagesModel"];
                };
            };
        };
    };
    generateContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The model and the method: `MODEL:generateContent`, or `MODEL:streamGenerateContent` for events. */
                call: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerateContentBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "candidates": [
                     *         {
                     *           "content": {
                     *             "role": "model",
                     *             "parts": [
                     *               {
                     *                 "text": "Hello."
                     *               }
                     *             ]
                     *           },
                     *           "finishReason": "STOP",
                     *           "index": 0
                     *         }
                     *       ],
                     *       "usageMetadata": {
                     *         "promptTokenCount": 3,
                     *         "candidatesTokenCount": 2,
                     *         "cachedContentTokenCount": 0,
                     *         "totalTokenCount": 5
                     *       },
                     *       "modelVersion": "lumen-flash",
                     *       "responseId": "ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg"
                     *     }
                     */
                    "application/json": components["schemas"]["GenerateContentAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    countContentTokens: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContentTokensBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentTokensAnswer"];
                };
            };
        };
    };
    responses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResponsesBody"];
            };
        };
        responses: {
            /** @description Done, or with `dryRun` the price of the call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg",
                     *       "object": "response",
                     *       "created_at": 1796000000,
                     *       "status": "completed",
                     *       "incomplete_details": null,
                     *       "error": null,
                     *       "model": "lumen-flash",
                     *       "output": [
                     *         {
                     *           "type": "message",
                     *           "id": "msg_ch_2ZkYxQ0Vd7Wc1mJ5sT8rBg",
                     *           "status": "completed",
                     *           "role": "assistant",
                     *           "content": [
                     *             {
                     *               "type": "output_text",
                     *               "text": "Hello.",
                     *               "annotations": []
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "store": false,
                     *       "parallel_tool_calls": true,
                     *       "tools": [],
                     *       "tool_choice": "auto",
                     *       "metadata": {},
                     *       "instructions": null,
                     *       "temperature": null,
                     *       "top_p": null,
                     *       "usage": {
                     *         "input_tokens": 3,
                     *         "input_tokens_details": {
                     *           "cached_tokens": 0
                     *         },
                     *         "output_tokens": 2,
                     *         "output_tokens_details": {
                     *           "reasoning_tokens": 0
                     *         },
                     *         "total_tokens": 5
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResponsesAnswer"] | components["schemas"]["DryRunAnswer"];
                };
            };
        };
    };
    countResponseTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputTokensBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputTokensAnswer"];
                };
            };
        };
    };
    listContentModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerateContentModelList"];
                };
            };
        };
    };
    getContentModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerateContentModel"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountAnswer"];
                };
            };
        };
    };
    proveAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddressProofBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    mailAddressProof: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    getAccountAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsAnswer"];
                };
            };
        };
    };
    setAccountAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AlertsBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertsAnswer"];
                };
            };
        };
    };
    getBillingAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAddressAnswer"];
                };
            };
        };
    };
    setBillingAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BillingAddressBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingAddressAnswer"];
                };
            };
        };
    };
    removeBillingAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    getAutoTopUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoTopUpAnswer"];
                };
            };
        };
    };
    setAutoTopUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AutoTopUpBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AutoTopUpAnswer"];
                };
            };
        };
    };
    saveCard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CardPageAnswer"];
                };
            };
        };
    };
    removeCard: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    topUpCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditTopUpBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditTopUpAnswer"];
                };
            };
        };
    };
    listTopUps: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BilledTopUpsAnswer"];
                };
            };
        };
    };
    getTopUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BilledTopUpAnswer"];
                };
            };
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                kind?: "top_up" | "debit" | "refund";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditTransactionsAnswer"];
                };
            };
        };
    };
    exportTransactions: {
        parameters: {
            query?: {
                kind?: "top_up" | "debit" | "refund";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    previewAccountClosing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosingAnswer"];
                };
            };
        };
    };
    closeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosedAnswer"];
                };
            };
        };
    };
    getInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteOfferAnswer"];
                };
            };
        };
    };
    acceptInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JoinedAnswer"];
                };
            };
        };
    };
    accountListJobs: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobListAnswer"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeysAnswer"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKeyBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKeyAnswer"];
                };
            };
        };
    };
    deleteKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyChangeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyAnswer"];
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKeyAnswer"];
                };
            };
        };
    };
    listOrganisations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationsAnswer"];
                };
            };
        };
    };
    createOrganisation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrganisationBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationAnswer"];
                };
            };
        };
    };
    renameOrganisation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrganisationBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationAnswer"];
                };
            };
        };
    };
    listAudit: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                action?: "address.changed" | "alerts.changed" | "auto_top_up.changed" | "card.opened" | "card.removed" | "invite.made" | "invite.withdrawn" | "job.cancelled" | "key.changed" | "key.deleted" | "key.made" | "key.rotated" | "member.budget" | "member.changed" | "member.joined" | "member.left" | "member.removed" | "organisation.closed" | "organisation.made" | "organisation.renamed" | "reference.deleted" | "reference.stored" | "top_up.opened" | "webhook.changed" | "webhook.deleted" | "webhook.made" | "webhook.rotated";
                member?: string;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationAuditAnswer"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                action?: "address.changed" | "alerts.changed" | "auto_top_up.changed" | "card.opened" | "card.removed" | "invite.made" | "invite.withdrawn" | "job.cancelled" | "key.changed" | "key.deleted" | "key.made" | "key.rotated" | "member.budget" | "member.changed" | "member.joined" | "member.left" | "member.removed" | "organisation.closed" | "organisation.made" | "organisation.renamed" | "reference.deleted" | "reference.stored" | "top_up.opened" | "webhook.changed" | "webhook.deleted" | "webhook.made" | "webhook.rotated";
                member?: string;
            };
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    previewOrganisationClosing: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosingOrganisationAnswer"];
                };
            };
        };
    };
    closeOrganisation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosedAnswer"];
                };
            };
        };
    };
    listInvites: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitesAnswer"];
                };
            };
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewInviteBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInviteAnswer"];
                };
            };
        };
    };
    withdrawInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invite: string;
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersAnswer"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member: string;
                org: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member: string;
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberAnswer"];
                };
            };
        };
    };
    setMemberBudget: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                member: string;
                org: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberBudgetBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberAnswer"];
                };
            };
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyAnswer"];
                };
            };
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptionsAnswer"];
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyRemovalBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgotBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetAnswer"];
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInAnswer"];
                };
            };
        };
    };
    listRequests: {
        parameters: {
            query?: {
                /** @description Only calls with this key. */
                keyId?: string;
                modelId?: string;
                /** @description Only calls of this person, and of keys that they made. */
                member?: string;
                tag?: string;
                /** @description Only calls of this session. */
                session?: string;
                status?: "ok" | "running" | "refused" | "failed" | "refunded";
                /** @description Only calls that failed with this code. */
                code?: string;
                /** @description The first moment. */
                from?: string;
                /** @description The moment before which it ends. */
                to?: string;
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestsAnswer"];
                };
            };
        };
    };
    exportRequests: {
        parameters: {
            query?: {
                /** @description Only calls with this key. */
                keyId?: string;
                modelId?: string;
                /** @description Only calls of this person, and of keys that they made. */
                member?: string;
                tag?: string;
                /** @description Only calls of this session. */
                session?: string;
                status?: "ok" | "running" | "refused" | "failed" | "refunded";
                /** @description Only calls that failed with this code. */
                code?: string;
                /** @description The first moment. */
                from?: string;
                /** @description The moment before which it ends. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    countRequests: {
        parameters: {
            query?: {
                /** @description Only calls with this key. */
                keyId?: string;
                modelId?: string;
                /** @description Only calls of this person, and of keys that they made. */
                member?: string;
                tag?: string;
                /** @description Only calls of this session. */
                session?: string;
                status?: "ok" | "running" | "refused" | "failed" | "refunded";
                /** @description Only calls that failed with this code. */
                code?: string;
                /** @description The first moment. */
                from?: string;
                /** @description The moment before which it ends. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestHistogramAnswer"];
                };
            };
        };
    };
    beginSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofBody"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorStartAnswer"];
                };
            };
        };
    };
    confirmSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesAnswer"];
                };
            };
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesAnswer"];
                };
            };
        };
    };
    removeSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProofBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    getSecurity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecurityAnswer"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsAnswer"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInAnswer"];
                };
            };
        };
    };
    passkeySignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeySignInBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInAnswer"];
                };
            };
        };
    };
    beginPasskeySignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyOptionsAnswer"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoneAnswer"];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Default: 29 days before `to`. */
                from?: string;
                /** @description Default: today, in UTC. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageAnswer"];
                };
            };
        };
    };
    listWebhookTries: {
        parameters: {
            query?: {
                /** @description Only those of one event. */
                eventId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTriesAnswer"];
                };
            };
        };
    };
    adminListAccounts: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description An id, or a part of an email address or of a name. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminAccountsAnswer"];
                };
            };
        };
    };
    adminBan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
        };
    };
    adminCredit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
        };
    };
    adminResetLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetLinkBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetLinkAnswer"];
                };
            };
        };
    };
    adminUnban: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BanBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminAccount"];
                };
            };
        };
    };
    adminAudit: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditAnswer"];
                };
            };
        };
    };
    adminListChannels: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Channels that hold money, owe it, or may not pay it. */
                state?: "open" | "owed" | "at_risk";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminChannelsAnswer"];
                };
            };
        };
    };
    adminListCharges: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                state?: "held" | "settling" | "charged" | "refunded" | "released";
                /** @description The id of a charge, a job or a key, or a payer: an account or a wallet. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminChargesAnswer"];
                };
            };
        };
    };
    adminDrift: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DriftAnswer"];
                };
            };
        };
    };
    adminListJobs: {
        parameters: {
            query?: {
                limit?: number;
                status?: "running" | "done" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobListAnswer"];
                };
            };
        };
    };
    adminMargins: {
        parameters: {
            query?: {
                /** @description Default: 29 days before `to`. */
                from?: string;
                /** @description Default: today, in UTC. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MarginsAnswer"];
                };
            };
        };
    };
    adminListModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminModelsAnswer"];
                };
            };
        };
    };
    adminChangeModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManyModelsPatchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManyModelsAnswer"];
                };
            };
        };
    };
    adminExportModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    adminAgreeToList: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vendor: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminVendorList"];
                };
            };
        };
    };
    adminChangeModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelPatchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminModel"];
                };
            };
        };
    };
    adminListPayments: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                state?: "open" | "credited" | "closed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminPaymentsAnswer"];
                };
            };
        };
    };
    adminClosePayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCloseBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminPayment"];
                };
            };
        };
    };
    adminCreditPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentCreditBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminPayment"];
                };
            };
        };
    };
    adminQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuesAnswer"];
                };
            };
        };
    };
    adminListRoutes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminRoutesAnswer"];
                };
            };
        };
    };
    adminListSwitches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSwitchesAnswer"];
                };
            };
        };
    };
    adminSwitchOff: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "model" | "provider";
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwitchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSwitch"];
                };
            };
        };
    };
    adminSwitchOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "model" | "provider";
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwitchBody"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSwitch"];
                };
            };
        };
    };
    adminRetryWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
        };
    };
}
