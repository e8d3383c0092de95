const begin = () => parts.forEach((part) => part());
window.document$ ? document$.subscribe(begin) : begin();
