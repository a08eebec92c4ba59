export declare function nightlyReport(region: string): Promise<void>;
