// Written by npm run openapi from the documents in docs/openapi.

export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ModelsAnswer: {
            models: components["schemas"]["MediaModelAnswer"][];
            textModels: components["schemas"]["TextModelAnswer"][];
            audioModels: components["schemas"]["AudioModelAnswer"][];
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
        BatchCountsAnswer: {
            total: number;
            completed: number;
            failed: number;
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
        EntryProofAnswer: {
            entry: components["schemas"]["LogEntryAnswer"];
            leafIndex: number;
            /** @description The inclusion path of RFC 6962, in base64. */
            path: string[];
            /** @description In base64. The leaf is SHA-256 over it and the canonical JSON (RFC 8785) of the entry. */
            salt: string;
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
        ChatUsage: {
            prompt_tokens: number;
            completion_tokens: number;
        };
        StudioUsage: {
            prompt_tokens: number;
            completion_tokens: number;
            total_tokens: number;
            prompt_tokens_details?: components["schemas"]["PromptDetails"];
        };
        PromptDetails: {
            cached_tokens: number;
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
        BatchesAnswer: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["BatchAnswer"][];
            first_id: string | null;
            last_id: string | null;
            has_more: boolean;
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
        DelegatedKeysAnswer: {
            /** @description Your keys and all keys below them, newest first. */
            keys: components["schemas"]["DelegatedKeyAnswer"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
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
        KeyAppAnswer: {
            /** @description Its name, as it gives it. */
            name: string;
            /** @description The host that vouches for it, or to which its sign-in returned. */
            host: string;
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
        OwnJobsAnswer: {
            /** @description Newest first. */
            jobs: components["schemas"]["OwnJob"][];
            /** @description Send it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
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
        ChatAnswer: {
            choices: components["schemas"]["ChatChoice"][];
            usage: components["schemas"]["ChatUsage"];
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
        EventsAnswer: {
            /** @description Oldest first. */
            events: components["schemas"]["EventAnswer"][];
            /** @description For `after`, also when there was nothing new. */
            nextCursor: string;
        };
        TopUpAnswer: {
            /** @description The wallet that paid, and that was credited. */
            wallet: string;
            /** @description The amount that was settled and credited. */
            topUpMicro: number;
            /** @description The balance after it. */
            balanceMicro: number;
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
            /** @description The address of the medium, valid for 24 hours from this answer. */
            url: string;
            /** @description 0 until the search finds the reference, usually for a second after it is stored. Then 1. */
            vectorReady: number;
            /** Format: date-time */
            createdAt: string;
            /** @description The similarity to the query; 1 is identical. */
            score: number;
        };
        WebhooksAnswer: {
            /** @description Oldest first. */
            webhooks: components["schemas"]["WebhookAnswer"][];
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
        RotateWebhookBody: {
            /**
             * @description The seconds for which the earlier secrets sign as well.
             * @example 86400
             */
            overlapSeconds: number;
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
        WebhookDeliveriesAnswer: {
            /** @description Newest first. */
            deliveries: components["schemas"]["WebhookDeliveryAnswer"][];
            /** @description Send it as `cursor` for the next page; absent on the last page. */
            nextCursor?: string;
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
             * @description The time at which the secret ends.
             */
            worksUntil: string;
            /** @description The time of the last call with this secret since the change. */
            lastUsedAt: string | null;
            /** @description The time of the last call with the new secret. */
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
            /** @description The limit of its spending in 30 days, in micro-USD; null is no limit. */
            spendLimitMicro?: number | null;
            /** @description The limits of its spending in a day, in a month, and in its whole life. */
            spendLimits?: components["schemas"]["SpendLimitsBody"];
            /** @description The scopes of the key. A scope that is left out is not limited. */
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
