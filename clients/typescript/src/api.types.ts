// Written by npm run openapi from the documents in docs/openapi.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ModelsAnswer: {
            models: components["schemas"]["MediaModelAnswer"][];
            textModels: components["schemas"]["TextModelAnswer"][];
        };
        MediaModelAnswer: {
            /** @description Further ids of the model. */
            aliases?: string[];
            /** @description From this day (UTC) on it is sold no more. */
            retiresOn?: string;
            /** @description The model to use instead of a retired one. */
            replacedBy?: string;
            /** @description Use it as `modelId`, or as `model` on the compatible routes. */
            id: string;
            name: string;
            /**
             * @description What it makes from what: `t2v` is text to video.
             * @enum {string}
             */
            mode: "t2i" | "i2i" | "t2v" | "i2v" | "swap" | "motion";
            /** @description Marks the private model line. */
            private?: boolean;
            /** @description The default of its mode. */
            default?: boolean;
            /** @description Whether it can make sound. */
            audio: boolean;
            aspectRatios: string[];
            resolutions: string[];
            imageSizes: string[];
            /** @description The seconds it can make. */
            durations: number[];
            pricing: components["schemas"]["MediaPrices"];
        };
        MediaPrices: {
            /**
             * @description What the price is for.
             * @enum {string}
             */
            unit: "image" | "second";
            /**
             * @description Retail micro-USD per unit, by resolution or image size.
             * @example {
             *       "default": 30770
             *     }
             */
            priceMicro: {
                [key: string]: number;
            };
        };
        TextModelAnswer: {
            /** @description Further ids of the model. */
            aliases?: string[];
            /** @description From this day (UTC) on it is sold no more. */
            retiresOn?: string;
            /** @description The model to use instead of a retired one. */
            replacedBy?: string;
            /** @description Use it as `model`. */
            id: string;
            name: string;
            /** @description Catalog rate, USD per million input tokens. */
            inputUsdPerMtok: string;
            /** @description Catalog rate, USD per million output tokens. */
            outputUsdPerMtok: string;
            /** @description What POST /v1/agent/chat charges per million input tokens. */
            chatInputUsdPerMtok: string;
            /** @description What POST /v1/agent/chat charges per million output tokens. */
            chatOutputUsdPerMtok: string;
            reasoning?: boolean;
            vision?: boolean;
            openWeights?: boolean;
            default?: boolean;
        };
        QuoteAnswer: {
            modelId: string;
            /** @description What kind of call it is: a mode of media, or a word of its route. */
            mode: string;
            /** @description What the call costs, in micro-USD. */
            priceMicro: number;
            /** @description The price without a discount. */
            listPriceMicro: number;
            /** @description What the provider is expected to ask; media models only. */
            providerCostMicro?: number;
            /** @description True when the estimate came from the provider just now, not from the rate card. */
            live: boolean;
            /** @description Send it with the call to pay exactly this. */
            quoteId: string;
            /**
             * Format: date-time
             * @description Until then the quote holds.
             */
            expiresAt: string;
        };
        JobAnswer: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description Where the medium is, once it is done. */
            url?: string;
            /** @description Why it failed. */
            error?: string;
            /**
             * @description The same for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description Which references it works from, where the call asked for any. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description What the call was tagged with. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
        };
        UsedReferenceAnswer: {
            id: string;
            /**
             * @description The input that it fills.
             * @enum {string}
             */
            input: "image" | "image2" | "video";
            /** @description How close it is to the prompt; absent where it was pinned. */
            score?: number;
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
            /** @description What the call costs, in micro-USD. */
            priceMicro: number;
            listPriceMicro: number;
            discountPercent: number;
            jobId?: string;
            /** @description What the caller called it. */
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
            /** @description That the end of the charge is in the transparency log, about ten seconds after it. It shows the balance, so the charge of an account has it for its owner only. */
            proof?: components["schemas"]["InclusionProofAnswer"];
            /** @description A detached JWS (EdDSA) over this receipt without the field jws, keys sorted, no spaces. The key is at /.well-known/jwks.json. */
            jws: string;
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
        ReferenceAnswer: {
            id: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description The type of the bytes, as found in them. */
            mime: string;
            bytes: number;
            label?: string;
            /** @description Where the medium is: good for 24 hours from this answer. */
            url: string;
            /** @description 1 once it can be found by meaning. */
            vectorReady: number;
            /** Format: date-time */
            createdAt: string;
        };
        WebhookAnswer: {
            id: string;
            url: string;
            /** @description The events that it receives. */
            types: string[];
            enabled: boolean;
            /**
             * @description Why it is disabled: you said so, it failed for 24 hours, it answered 410, or the member that gave it its address left.
             * @enum {string}
             */
            disabledReason?: "owner" | "failing" | "gone" | "maker";
            /**
             * Format: date-time
             * @description Since when every try has failed.
             */
            failingSince?: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The key that gave it its address, and with which it ends. */
            keyId?: string;
            /** @description The member of the organisation that did, and with whom it ends. */
            madeBy?: string;
        };
        WebhookDeliveryAnswer: {
            /** @description The `webhook-id` of all its tries. */
            eventId: string;
            /** @description The type of the event. */
            type: string;
            /** @enum {string} */
            state: "pending" | "delivered" | "failed";
            /** @description How often it was tried. */
            tries: number;
            /** @description What the last try was answered. */
            lastStatus?: number;
            /** @description Why there was no answer, or no further try. */
            lastError?: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastTriedAt?: string;
            /**
             * Format: date-time
             * @description Of one that is pending.
             */
            nextTryAt?: string;
        };
        ChatUsage: {
            prompt_tokens: number;
            completion_tokens: number;
        };
        StudioUsage: {
            prompt_tokens: number;
            completion_tokens: number;
            total_tokens: number;
        };
        StudioBody: {
            /** @description The wallet that will pay: its volume tier applies. It must be the signer. */
            payer?: string;
            /** @description A quote from POST /v1/agent/quote: the call costs exactly that. */
            quoteId?: string;
            /** @description Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro. */
            maxPriceMicro?: number;
            /** @description Check everything and say the price, but run and charge nothing. */
            dryRun?: boolean;
            /** @description Your own word for the purpose of the call. Its job, its receipt and its events carry it. */
            tag?: string;
            /** @description A text model; without it the default one. */
            model?: string;
            messages: components["schemas"]["StudioMessage"][];
            /** @description Default 1024. */
            max_tokens?: number;
            /** @description The newer name of max_tokens. */
            max_completion_tokens?: number;
            temperature?: number;
            top_p?: number;
            frequency_penalty?: number;
            presence_penalty?: number;
            seed?: number;
            /** @enum {string} */
            reasoning_effort?: "low" | "medium" | "high";
            stream?: boolean;
            stream_options?: components["schemas"]["StreamOptions"];
            /** @description Only 1 is supported. */
            n?: number;
            /** @description Functions of yours that the model may ask for. */
            tools?: {
                /** @constant */
                type: "function";
                function: {
                    name: string;
                    description?: string;
                    parameters?: Record<string, never>;
                    strict?: boolean | null;
                };
            }[];
            tool_choice?: ("none" | "auto" | "required") | {
                function: {
                    name: string;
                };
            };
            parallel_tool_calls?: boolean;
            /** @description Structured outputs. */
            response_format?: {
                /** @enum {string} */
                type?: "text" | "json_object" | "json_schema";
                json_schema?: Record<string, never>;
            };
            stop?: string | string[];
        };
        StudioMessage: {
            /** @enum {string} */
            role: "system" | "developer" | "user" | "assistant" | "tool";
            /** @description Text, or parts of text and images for models with vision. */
            content?: string | null | ({
                /** @constant */
                type: "text";
                text: string;
            } | {
                /** @constant */
                type: "image_url";
                image_url: {
                    url: string;
                    /** @enum {string} */
                    detail?: "auto" | "low" | "high";
                };
            })[];
            tool_calls?: {
                id?: string;
                /** @constant */
                type?: "function";
                function: {
                    name: string;
                    arguments: string;
                };
            }[];
            tool_call_id?: string;
            name?: string;
            /** @description What the model thought before, where it wants to see it again. */
            reasoning_content?: string | null;
            refusal?: string | null;
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
        NewDelegatedKeyAnswer: {
            id: string;
            name: string;
            /** @description The beginning of the key, to distinguish keys. */
            prefix: string;
            /** @description What it may spend in its whole life, in micro-USD. */
            limitMicro: number;
            /** @description What it has spent of that, with all below it. */
            spentMicro: number;
            /** @description When it ends. */
            expiresAt: string | null;
            /** @description How often the money was handed on. */
            depth: number;
            /** @description What it may be used for: no more than the key above it; what is left out is inherited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description Whether its limit was set aside for it. */
            reserve: boolean;
            /** @description The key itself. It is never shown again: keep it in a safe place. */
            key: string;
        };
        KeyScopesBody: {
            /**
             * @description Which routes: `read` is models, quotes, balance, own jobs, events and receipts; `studio` is /v1/chat/completions, /v1/responses and /v1/messages.
             * @example [
             *       "chat",
             *       "read"
             *     ]
             */
            routes?: ("chat" | "studio" | "image" | "video" | "references" | "read" | "keys" | "webhooks" | "cancel")[];
            /**
             * @description Which models, by id.
             * @example [
             *       "lumen-chat"
             *     ]
             */
            models?: string[];
            /** @description What one call may cost at most, in micro-USD. */
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
        DelegatedKeysAnswer: {
            /** @description Yours and all below them, newest first. */
            keys: components["schemas"]["DelegatedKeyAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        DelegatedKeyAnswer: {
            id: string;
            name: string;
            /** @description The beginning of the key, to distinguish keys. */
            prefix: string;
            /** @description What it may spend in its whole life, in micro-USD. */
            limitMicro: number;
            /** @description What it has spent of that, with all below it. */
            spentMicro: number;
            /** @description When it ends. */
            expiresAt: string | null;
            /** @description How often the money was handed on. */
            depth: number;
            /** @description What it may be used for: no more than the key above it; what is left out is inherited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description Whether its limit was set aside for it. */
            reserve: boolean;
            /** @enum {string} */
            state: "active" | "disabled" | "expired";
            /** Format: date-time */
            createdAt: string;
            /** @description The key that made it; left out where you did. */
            parentId?: string;
            /** @description What is left of what was set aside for it. */
            reserveLeftMicro?: number;
            /** @description Calls that were paid with it or below it. */
            requestCount: number;
            /** @description When a call was last paid with it. */
            lastUsedAt: string | null;
        };
        EventAnswer: {
            /** @description Sent once; a receiver can drop a repeated id. */
            id: string;
            /** @enum {string} */
            type: "job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled";
            /** Format: date-time */
            createdAt: string;
            /** @description What the GET of its object showed then: a job, a receipt without its signature, a reference. */
            data: Record<string, never>;
        };
        OwnJobsAnswer: {
            /** @description Newest first. */
            jobs: components["schemas"]["OwnJob"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        OwnJob: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description Where the medium is, once it is done. */
            url?: string;
            /** @description Why it failed. */
            error?: string;
            /**
             * @description The same for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description Which references it works from, where the call asked for any. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description What the call was tagged with. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
            /** @description GET /v1/agent/charges/{id} shows what was paid. */
            chargeId: string;
        };
        ChatAnswer: {
            choices: components["schemas"]["ChatChoice"][];
            usage: components["schemas"]["ChatUsage"];
        };
        ChatChoice: {
            message: components["schemas"]["ChatMessageAnswer"];
        };
        ChatMessageAnswer: {
            /** @enum {string} */
            role: "assistant";
            content: string;
        };
        EventsAnswer: {
            /** @description Oldest first. */
            events: components["schemas"]["EventAnswer"][];
            /** @description For `after`, also when there was nothing new. */
            nextCursor: string;
        };
        TopUpAnswer: {
            /** @description The wallet that paid, and that was credited. */
            wallet: string;
            /** @description What was settled and credited. */
            topUpMicro: number;
            /** @description The balance after it. */
            balanceMicro: number;
        };
        QuoteBody: {
            /**
             * @description A media or text model.
             * @example ember-image
             */
            modelId: string;
            /** @description The same as modelId, for clients that send both. */
            model?: string;
            /** @description Counted for text models when there are no messages. */
            prompt?: string;
            /** @description Video seconds. */
            duration?: number;
            resolution?: string;
            imageSize?: string;
            aspectRatio?: string;
            /** @description Sound, for models that make it. Default on. */
            audio?: boolean;
            /** @description Messages of a chat call. */
            messages?: components["schemas"]["QuoteMessage"][];
            /** @description Output cap of a chat call. Default 1024. */
            max_tokens?: number;
            /** @description Shows this wallet's volume tier; the quote then holds for it alone. */
            payer?: string;
        };
        QuoteMessage: {
            role?: string;
            /** @description Its characters are counted, and nothing else. */
            content: string;
        };
        DelegatedKeyBody: {
            /** @example research sub-agent */
            name?: string;
            /**
             * @description What it may spend in its whole life, in micro-USD.
             * @example 1000000
             */
            limitMicro: number;
            /**
             * @description How long it lives.
             * @example 3600
             */
            expiresInSeconds: number;
            /** @description What it may be used for: no more than the key above it; what is left out is inherited. */
            scopes?: components["schemas"]["KeyScopesBody"];
            /**
             * @description Sets the limit aside now: it is sure to be there, and nobody else can spend it. What is left comes back when the key ends.
             * @default false
             */
            reserve: boolean;
        };
        MediaDoneAnswer: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "done";
            /** @description Where the medium is. */
            url: string;
            /** @description Which references it works from, where the call asked for any. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
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
            /** @description Which references it works from, where the call asked for any. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
        };
        ChatMessageBody: {
            /** @enum {string} */
            role: "system" | "user" | "assistant";
            /** @description At most 48000 characters in all messages together. */
            content: string;
        };
        StoredReferenceAnswer: {
            ok: boolean;
            asset: components["schemas"]["ReferenceAnswer"];
        };
        ReferencesAnswer: {
            /** @description Newest first. */
            refs: components["schemas"]["ReferenceAnswer"][];
        };
        MatchedReferencesAnswer: {
            /** @description The closest first. */
            refs: components["schemas"]["MatchedReferenceAnswer"][];
        };
        MatchedReferenceAnswer: {
            id: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description The type of the bytes, as found in them. */
            mime: string;
            bytes: number;
            label?: string;
            /** @description Where the medium is: good for 24 hours from this answer. */
            url: string;
            /** @description 1 once it can be found by meaning. */
            vectorReady: number;
            /** Format: date-time */
            createdAt: string;
            /** @description How close it is to the query; 1 is the same. */
            score: number;
        };
        WebhooksAnswer: {
            /** @description Oldest first. */
            webhooks: components["schemas"]["WebhookAnswer"][];
        };
        NewWebhookBody: {
            /**
             * @description Where events are sent: a public https address.
             * @example https://example.com/hooks/lamppost
             */
            url: string;
            /** @description Which events; all of them when it is left out. */
            types?: ("job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled")[];
        };
        WebhookWithSecretAnswer: {
            id: string;
            url: string;
            /** @description The events that it receives. */
            types: string[];
            enabled: boolean;
            /**
             * @description Why it is disabled: you said so, it failed for 24 hours, it answered 410, or the member that gave it its address left.
             * @enum {string}
             */
            disabledReason?: "owner" | "failing" | "gone" | "maker";
            /**
             * Format: date-time
             * @description Since when every try has failed.
             */
            failingSince?: string;
            /** Format: date-time */
            createdAt: string;
            /** @description The key that gave it its address, and with which it ends. */
            keyId?: string;
            /** @description The member of the organisation that did, and with whom it ends. */
            madeBy?: string;
            /** @description What messages are signed with (`v1`). It is never shown again: keep it in a safe place. */
            secret: string;
        };
        WebhookChangeBody: {
            /**
             * @description Where events are sent from now on, those included that still wait.
             * @example https://example.com/hooks/lamppost
             */
            url?: string;
            /** @description Which events. */
            types?: ("job.accepted" | "job.done" | "job.failed" | "charge.charged" | "charge.released" | "charge.refunded" | "balance.topped_up" | "balance.low" | "spend.high" | "key.limit_near" | "key.expiring" | "reference.ready" | "webhook.disabled")[];
            /** @description What happens while it is disabled is sent only by replay. */
            enabled?: boolean;
        };
        RotateWebhookBody: {
            /**
             * @description For how long the secrets before the new one sign as well.
             * @example 86400
             */
            overlapSeconds: number;
        };
        WebhookTestAnswer: {
            /** @description Whether the endpoint took a message of the type `webhook.test`. */
            delivered: boolean;
            /** @description The `webhook-id` that was sent. */
            eventId: string;
            /** @description What it answered. */
            status?: number;
            /** @description Why there was no answer. */
            error?: string;
        };
        WebhookDeliveriesAnswer: {
            /** @description Newest first. */
            deliveries: components["schemas"]["WebhookDeliveryAnswer"][];
            /** @description There are more: send it as `cursor`. */
            nextCursor?: string;
        };
        ListedJob: {
            /** @enum {string} */
            status: "running" | "done" | "failed";
            /** @description Where the medium is, once it is done. */
            url?: string;
            /** @description Why it failed. */
            error?: string;
            /**
             * @description The same for programs.
             * @enum {string}
             */
            errorCode?: "CANCELLED" | "DEADLINE" | "NOT_SUBMITTED" | "PROVIDER_FAILED" | "REFUNDED" | "UNPAID";
            modelId: string;
            /** @enum {string} */
            kind: "image" | "video";
            /** @description Percent. */
            progress?: number;
            /** @description Which references it works from, where the call asked for any. */
            references?: components["schemas"]["UsedReferenceAnswer"][];
            /** @description Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back. */
            cancellable: boolean;
            /** @description What the call was tagged with. */
            tag?: string;
            /** @enum {string} */
            chargeState: "held" | "settling" | "charged" | "refunded" | "released" | "none";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            finishedAt?: string;
            id: string;
        };
        StatementAnswer: {
            owner: string;
            /** @description Before the first entry of this page. */
            openingBalanceMicro: number;
            /** @description After the last entry of this page. */
            closingBalanceMicro: number;
            /** @description In the order of the log. Each names the one before it. */
            entries: components["schemas"]["EntryProofAnswer"][];
            /** @description The signed tree of all paths. Absent until the first entry is sealed. */
            checkpoint?: string;
            treeSize: number;
            /** @description There is more: send it as `cursor`. */
            nextCursor?: string;
        };
        EntryProofAnswer: {
            entry: components["schemas"]["LogEntryAnswer"];
            leafIndex: number;
            /** @description The inclusion path of RFC 6962, in base64. */
            path: string[];
            /** @description In base64. The leaf is SHA-256 over it and the canonical JSON (RFC 8785) of the entry. */
            salt: string;
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
            /** @description When a call was last paid with it. */
            lastUsedAt: string | null;
            /** @description What it may spend in a day, in a month, and in its whole life. */
            spendLimits: components["schemas"]["SpendLimitsBody"];
            /** @description What the key may be used for; what is left out is not limited. */
            scopes: components["schemas"]["KeyScopesBody"];
            /** @description Spent ever, with what is set aside below it. */
            spentMicro: number;
            /** @description The most that calls with it and with the keys below it can still spend today, from the present balance. */
            mayLoseTodayMicro: number;
            /** @description Spent on each of the last 30 days of UTC, in micro-USD; the last one is today. */
            days: number[];
            /** @description While its secret is being exchanged. */
            previousSecret?: components["schemas"]["PreviousSecret"];
            /** @description How often the money was handed on; 0 is a key of your own. */
            depth: number;
            /** @description The key that made it. */
            parentId?: string;
            /** @description What is left of what was set aside for it. */
            reserveLeftMicro?: number;
            /** @description Whose it is among the members: the id of their account. */
            madeBy?: string;
        };
        SpendLimitsBody: {
            /** @description In a day of UTC. */
            dayMicro?: number;
            /** @description In a month of UTC. */
            monthMicro?: number;
            /** @description In its whole life. */
            totalMicro?: number;
        };
        PreviousSecret: {
            /**
             * Format: date-time
             * @description Until then it works.
             */
            worksUntil: string;
            /** @description When a call last came with it since the change. */
            lastUsedAt: string | null;
            /** @description When a call last came with the new one. */
            newLastUsedAt: string | null;
        };
        KeysAnswer: {
            /** @description Newest first. */
            keys: components["schemas"]["KeyAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        NewKeyBody: {
            /** @example my agent */
            name: string;
            /**
             * @description Days from now until it expires; null is never.
             * @example 90
             */
            expiresInDays: (30 | 90 | 365) | null;
            /** @description What the key may spend in 30 days, in micro-USD; null is no limit. */
            spendLimitMicro?: number | null;
            /** @description What it may spend in a day, in a month, and in its whole life. */
            spendLimits?: components["schemas"]["SpendLimitsBody"];
            /** @description What the key may be used for; what is left out is not limited. */
            scopes?: components["schemas"]["KeyScopesBody"];
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
        KeyChangeBody: {
            name?: string;
            enabled?: boolean;
            /** @description Days from now until it expires; null is never. */
            expiresInDays?: (30 | 90 | 365) | null;
            /** @description What the key may spend in 30 days, in micro-USD; null is no limit. */
            spendLimitMicro?: number | null;
            /** @description What it may spend in a day, in a month, and in its whole life. Null takes all of them away. */
            spendLimits?: {
                /** @description In a day of UTC. */
                dayMicro?: number;
                /** @description In a month of UTC. */
                monthMicro?: number;
                /** @description In its whole life. */
                totalMicro?: number;
            } | null;
            /** @description What the key may be used for; what is left out is not limited. Null takes all of them away. */
            scopes?: {
                /** @description Which routes: `read` is models, quotes, balance, own jobs, events and receipts; `studio` is /v1/chat/completions, /v1/responses and /v1/messages. */
                routes?: ("chat" | "studio" | "image" | "video" | "references" | "read" | "keys" | "webhooks" | "cancel")[];
                /** @description Which models, by id. */
                models?: string[];
                /** @description What one call may cost at most, in micro-USD. */
                priceMicroMax?: number;
                /** @description Networks that calls may come from, in CIDR. */
                ips?: string[];
                /** @description Calls in a minute. */
                perMinute?: number;
            } | null;
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
            /** @description Of the picture that was sent, where nothing like it was found. */
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
