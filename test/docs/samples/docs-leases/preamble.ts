declare function render(invoiceId: string, options: { signal: AbortSignal }): Promise<string>;
