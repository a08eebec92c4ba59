declare const monthlyInvoice: import('escapement').ScheduleOptions;
