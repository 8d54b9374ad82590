/**
 * A form that shows a secret once answers at its own address. The address of the page
 * replaces it, so that a reload and a bookmark work and the form is not sent again.
 */
export function leaveFormAddress(): void {
  const page = document.querySelector<HTMLElement>("[data-page-address]")?.dataset.pageAddress;
  if (page && page !== location.pathname) history.replaceState(null, "", page);
}
